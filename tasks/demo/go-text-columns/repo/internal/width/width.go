// Package width knows how many columns of a terminal a text takes.
package width

import "unicode"

// Of is the width of a text.
func Of(text string) int {
	total := 0
	for _, r := range text {
		total += Rune(r)
	}
	return total
}

// Rune is the width of one character.
func Rune(r rune) int {
	switch {
	case r < ' ' || r == 0x7f:
		return 0
	case unicode.Is(unicode.Han, r), unicode.Is(unicode.Hangul, r), unicode.Is(unicode.Hiragana, r):
		return 2
	default:
		return 1
	}
}
