"""What does each letter of a Q-expression compute? One small function a letter."""
