package textcolumns

import (
	"reflect"
	"testing"
)

func expectLines(t *testing.T, found []string, wanted ...string) {
	t.Helper()
	if !reflect.DeepEqual(found, wanted) {
		t.Fatalf("found %q, wanted %q", found, wanted)
	}
}

func TestWrap(t *testing.T) {
	expectLines(t, Wrap("the quick brown fox", 10), "the quick", "brown fox")
	expectLines(t, Wrap("  a   b  ", 10), "a b")
}

func TestWrapKeepsEmptyLines(t *testing.T) {
	expectLines(t, Wrap("a\n\nb", 10), "a", "", "b")
}

func TestWrapCutsLongWords(t *testing.T) {
	expectLines(t, Wrap("ab abcdefgh", 3), "ab", "abc", "def", "gh")
}

func TestTable(t *testing.T) {
	found := Table([][]string{{"name", "size"}, {"a.txt", "12"}})
	if found != "name   size\na.txt  12\n" {
		t.Fatalf("found %q", found)
	}
}

func TestWrapCountsColumns(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		columns int
		wanted  []string
	}{
		"umlauts":       {"größte Übung fällt", 12, []string{"größte Übung", "fällt"}},
		"wide":          {"日本 日本 日本", 9, []string{"日本 日本", "日本"}},
		"cut umlauts":   {"äöüäöü", 4, []string{"äöüä", "öü"}},
		"cut wide":      {"日本語日本", 5, []string{"日本", "語日", "本"}},
		"combining":     {"e\u0301te\u0301 e\u0301te\u0301", 7, []string{"e\u0301te\u0301 e\u0301te\u0301"}},
		"cut combining": {"e\u0301e\u0301e\u0301", 2, []string{"e\u0301e\u0301", "e\u0301"}},
		"too narrow":    {"日a", 1, []string{"日", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			expectLines(t, Wrap(c.text, c.columns), c.wanted...)
		})
	}
}

func TestTableWithMarks(t *testing.T) {
	found := Table([][]string{{"cafe\u0301", "1"}, {"カフェ", "2"}, {"🙂", "3"}})
	wanted := "cafe\u0301    1\nカフェ  2\n🙂      3\n"
	if found != wanted {
		t.Fatalf("found %q, wanted %q", found, wanted)
	}
}
