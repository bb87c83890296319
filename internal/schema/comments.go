package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// comments is what Go files say of their types.
type comments struct {
	types  map[string]string // by name
	fields map[string]string // by type and JSON key, e.g. "Row.rank"
	values map[string][]any  // constants of named strings
}

// read reads the Go files in folders, tests left out.
func read(t testing.TB, folders []string) comments {
	t.Helper()
	c := comments{map[string]string{}, map[string]string{}, map[string][]any{}}
	files := token.NewFileSet()
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			f, err := parser.ParseFile(files, filepath.Join(folder, e.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if d, ok := d.(*ast.GenDecl); ok {
					c.declaration(d)
				}
			}
		}
	}
	return c
}

func (c comments) declaration(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			c.types[s.Name.Name] = line(d.Doc, s.Doc)
			if fields, ok := s.Type.(*ast.StructType); ok {
				for _, f := range fields.Fields.List {
					c.field(s.Name.Name, f)
				}
			}
		case *ast.ValueSpec:
			of, ok := s.Type.(*ast.Ident)
			if d.Tok != token.CONST || !ok {
				continue
			}
			for _, v := range s.Values {
				if literal, ok := v.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if value, err := strconv.Unquote(literal.Value); err == nil {
						c.values[of.Name] = append(c.values[of.Name], value)
					}
				}
			}
		}
	}
}

func (c comments) field(owner string, f *ast.Field) {
	if f.Tag == nil {
		return
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return
	}
	key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	c.fields[owner+"."+key] = line(f.Doc, f.Comment)
}

// line joins comments to one line.
func line(groups ...*ast.CommentGroup) string {
	var all []string
	for _, g := range groups {
		if g != nil {
			all = append(all, strings.Fields(g.Text())...)
		}
	}
	return strings.Join(all, " ")
}
