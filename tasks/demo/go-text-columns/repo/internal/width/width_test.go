package width

import "testing"

func TestOf(t *testing.T) {
	for text, wanted := range map[string]int{"": 0, "abc": 3, "über": 4, "日本": 4, "한글": 4} {
		t.Run(text, func(t *testing.T) {
			if found := Of(text); found != wanted {
				t.Fatalf("found %d, wanted %d", found, wanted)
			}
		})
	}
}
