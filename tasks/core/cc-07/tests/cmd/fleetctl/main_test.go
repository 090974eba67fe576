package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/fleet/api"
	"example.org/fleet/store"
)

func TestRun(t *testing.T) {
	server := httptest.NewServer((&api.Server{Store: store.New()}).Handler())
	defer server.Close()
	call := func(arguments ...string) string {
		t.Helper()
		var out strings.Builder
		if err := run(t.Context(), append([]string{"-server", server.URL}, arguments...), &out); err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out.String())
	}
	id := call("register", "-name", "Gate 4", "-site", "berlin", "-tags", "gate,north")
	call("status", id, "online")
	listed := call("list", "-status", "online", "-tag", "north")
	if lines := strings.Split(listed, "\n"); len(lines) != 2 || !strings.HasPrefix(lines[1], id+"  Gate 4  berlin  online  gate,north") {
		t.Fatalf("listed:\n%s", listed)
	}
	call("remove", id)
	if listed := call("list"); strings.Contains(listed, id) {
		t.Fatalf("listed:\n%s", listed)
	}
}
