package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// source is what the code reports.
type source struct {
	headlines map[string]string // keyed by the ID; empty if the code does not have it in one place
	nameless  []string          // places that report something without an ID
}

// readSource reads the code of the provider.
func readSource(repository string) (source, error) {
	found := source{headlines: map[string]string{}}
	// The packages that these import come compiled, from Go's cache.
	const withoutImports = packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports |
		packages.NeedExportFile
	read, err := packages.Load(&packages.Config{Mode: withoutImports, Dir: repository}, "./internal/...")
	if err != nil {
		return found, err
	}
	var errs []error
	for _, one := range read {
		for _, err := range one.Errors {
			errs = append(errs, err)
		}
		found.read(one)
	}
	return found, errors.Join(errs...)
}

// read adds the troubles of a package. They are the constants of type trouble.ID.
func (s *source) read(from *packages.Package) {
	files := inspector.New(from.Syntax)
	for literal := range inspector.All[*ast.CompositeLit](files) {
		if isOurs(from.TypesInfo.TypeOf(literal), "Problem") && field(literal, "ID") == nil &&
			field(literal, "Summary") != nil {
			s.nameless = append(s.nameless, from.Fset.Position(literal.Pos()).String())
		}
	}
	for cursor := range files.Root().Preorder((*ast.BasicLit)(nil), (*ast.Ident)(nil)) {
		expression, _ := cursor.Node().(ast.Expr)
		value := from.TypesInfo.Types[expression]
		if value.Value == nil || !isOurs(value.Type, "ID") || constant.StringVal(value.Value) == "" {
			continue
		}
		if id := constant.StringVal(value.Value); s.headlines[id] == "" {
			s.headlines[id] = headlineOf(from.TypesInfo, headlineBeside(cursor))
		}
	}
}

// headlineBeside returns the headline of an ID: the summary of the same problem, or the next argument of the same call.
// Otherwise it returns nil.
func headlineBeside(id inspector.Cursor) ast.Expr {
	switch parent := id.Parent().Node().(type) {
	case *ast.KeyValueExpr:
		if literal, ok := id.Parent().Parent().Node().(*ast.CompositeLit); ok {
			return field(literal, "Summary")
		}
	case *ast.CallExpr:
		if len(parent.Args) > 1 && parent.Args[0] == id.Node() {
			return parent.Args[1]
		}
	}
	return nil
}

// isOurs reports whether a type is the one with this name in package trouble.
func isOurs(t types.Type, name string) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == name && strings.HasSuffix(named.Obj().Pkg().Path(), "/internal/trouble")
}

// field returns the value that a composite literal gives to a field, or nil.
func field(literal *ast.CompositeLit, name string) ast.Expr {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, isName := pair.Key.(*ast.Ident); isName && key.Name == name {
				return pair.Value
			}
		}
	}
	return nil
}

var verb = regexp.MustCompile(`%(\[\d+\])?[+#]?[a-z]`)

// headlineOf returns a headline with … for what varies. It is empty if nothing is fixed.
func headlineOf(info *types.Info, expression ast.Expr) string {
	text := fixed(info, expression)
	if strings.Trim(text, "… ") == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func fixed(info *types.Info, expression ast.Expr) string {
	if expression == nil {
		return ""
	}
	if value := info.Types[expression].Value; value != nil && value.Kind() == constant.String {
		return verb.ReplaceAllString(constant.StringVal(value), "…")
	}
	switch e := expression.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return strings.TrimSpace(fixed(info, e.X) + fixed(info, e.Y))
		}
	case *ast.CallExpr:
		if called, ok := e.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "Sprintf" && len(e.Args) > 0 {
			return fixed(info, e.Args[0])
		}
	}
	return "…"
}

// title gives each entry its title. It fails unless each trouble in the code has one entry, and each entry a trouble.
func (s source) title(entries []entry) error {
	var errs []error
	files := map[string]string{} // of the entries, keyed by the ID
	for i := range entries {
		e := &entries[i]
		headline, known := s.headlines[e.id]
		switch {
		case !known:
			errs = append(errs, fmt.Errorf("%s: nothing in the code has the ID %s", e.file, e.id))
		case files[e.id] != "":
			errs = append(errs, fmt.Errorf("%s: %s has another entry of %s", e.file, files[e.id], e.id))
		case e.title == "" && headline == "":
			errs = append(errs, fmt.Errorf("%s: entry %s needs a line `Title: …`", e.file, e.id))
		case e.title == "":
			e.title = headline
		}
		files[e.id] = e.file
	}
	for id := range s.headlines {
		if files[id] == "" {
			errs = append(errs, fmt.Errorf("no entry explains %s", id))
		}
	}
	for _, place := range s.nameless {
		errs = append(errs, fmt.Errorf("%s: a headline without an ID", place))
	}
	return errors.Join(errs...)
}
