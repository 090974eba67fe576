package width

import (
	"strconv"
	"testing"
)

func TestOf(t *testing.T) {
	for text, wanted := range map[string]int{"": 0, "abc": 3, "über": 4, "日本": 4, "한글": 4, "e\u0301": 1, "カタカナ": 8, "🙂": 2, "Ａ": 2, "。": 2, "a\u200bb": 2} {
		t.Run(strconv.QuoteToASCII(text), func(t *testing.T) {
			if found := Of(text); found != wanted {
				t.Fatalf("found %d, wanted %d", found, wanted)
			}
		})
	}
}
