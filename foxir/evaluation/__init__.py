"""How good are runs? The public calls over the package eval."""
