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
