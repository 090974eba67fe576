// Package structure_test reads the sources of the module.
package structure_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "example.org/gridbill"

type file struct {
	path   string
	source []byte
	tree   *ast.File
}

var positions = token.NewFileSet()

// packages is the module's source, without tests, by folder; the root is ".".
func packages(t *testing.T) map[string][]file {
	t.Helper()
	found := map[string][]file{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && name != ".." && (name == "testdata" || name == "vendor" || name[0] == '.' || name[0] == '_') {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(positions, path, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel("..", filepath.Dir(path))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		found[folder] = append(found[folder], file{path, source, tree})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// types lists the types that files declare, and whether they are aliases.
func types(files []file) map[string]bool {
	found := map[string]bool{}
	for _, f := range files {
		for _, declaration := range f.tree.Decls {
			if general, is := declaration.(*ast.GenDecl); is {
				for _, spec := range general.Specs {
					if named, is := spec.(*ast.TypeSpec); is {
						found[named.Name.Name] = named.Assign.IsValid()
					}
				}
			}
		}
	}
	return found
}

func functions(files []file) (found []*ast.FuncDecl) {
	for _, f := range files {
		for _, declaration := range f.tree.Decls {
			if function, is := declaration.(*ast.FuncDecl); is {
				found = append(found, function)
			}
		}
	}
	return found
}

func TestEachTypeIsDeclaredInItsPackage(t *testing.T) {
	all := packages(t)
	for folder, names := range map[string][]string{
		"money": {"Amount"}, "reading": {"Reading", "Usage", "ParseError"}, "tariff": {"Tariff", "Tier", "Window", "Line"},
		"invoice": {"Invoice"},
	} {
		t.Run(folder, func(t *testing.T) {
			declared := types(all[folder])
			for _, name := range names {
				if alias, is := declared[name]; !is || alias {
					t.Errorf("%s is not declared in %s", name, folder)
				}
			}
		})
	}
}

func isInternal(folder string) bool { return slices.Contains(strings.Split(folder, "/"), "internal") }

func TestImports(t *testing.T) {
	allowed := map[string][]string{
		"money": {}, "reading": {"money"}, "tariff": {"money", "reading"}, "invoice": {"money", "reading", "tariff"},
	}
	all := packages(t)
	for folder := range allowed {
		if len(all[folder]) == 0 {
			t.Errorf("there is no package %s", folder)
		}
	}
	for folder, files := range all {
		internal := isInternal(folder)
		may, part := allowed[folder]
		if !internal && !part {
			continue // the root and commands
		}
		for _, f := range files {
			for _, spec := range f.tree.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				other, ours := strings.CutPrefix(path, module+"/")
				if path == module {
					other, ours = ".", true
				}
				if ours && !isInternal(other) && !slices.Contains(may, other) {
					t.Errorf("%s imports %s", f.path, path)
				}
			}
		}
	}
}

func TestTheRootPassesOn(t *testing.T) {
	root := packages(t)["."]
	if len(root) == 0 {
		t.Fatal("there is no package in the root")
	}
	for name, alias := range types(root) {
		if !alias {
			t.Errorf("the root declares the type %s", name)
		}
	}
	for _, f := range root {
		ast.Inspect(f.tree, func(node ast.Node) bool {
			switch node.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				t.Errorf("%s has a loop", positions.Position(node.Pos()))
			}
			return true
		})
	}
	lines := 0
	for _, f := range root {
		lines += codeLines(f)
	}
	if lines > 150 {
		t.Errorf("the root has %d lines of code", lines)
	}
}

// codeLines counts the lines of a file that hold more than comments.
func codeLines(f file) int {
	var s scanner.Scanner
	set := token.NewFileSet()
	at := set.AddFile(f.path, -1, len(f.source))
	s.Init(at, f.source, nil, 0)
	lines := map[int]bool{}
	for {
		position, kind, text := s.Scan()
		if kind == token.EOF {
			return len(lines)
		}
		if kind == token.SEMICOLON && text == "\n" {
			continue
		}
		begin := at.Line(position)
		for i := range strings.Count(text, "\n") + 1 {
			lines[begin+i] = true
		}
	}
}

// A function of a few statements that stands in two packages word for word was copied.
func TestNothingIsThereTwice(t *testing.T) {
	seen := map[string]string{}
	all := packages(t)
	if len(all["money"]) == 0 {
		t.Fatal("there is no package money")
	}
	for folder, files := range all {
		for _, function := range functions(files) {
			if function.Body == nil || len(function.Body.List) < 3 {
				continue
			}
			var text bytes.Buffer
			if err := printer.Fprint(&text, token.NewFileSet(), function.Body); err != nil {
				t.Fatal(err)
			}
			here := folder + ": " + function.Name.Name
			if there, is := seen[text.String()]; is && !strings.HasPrefix(there, folder+": ") {
				t.Errorf("%s is a copy of %s", here, there)
			}
			seen[text.String()] = here
		}
	}
}
