/* Kinds of characters, plus 1 (engine/text/characters.py); 0 of one that was not looked at yet. */
#ifndef FOXIR_CHARACTER_KINDS_H
#define FOXIR_CHARACTER_KINDS_H

enum { OTHER = 1, LETTER = 2, CODES = 0x110000 };

#endif
