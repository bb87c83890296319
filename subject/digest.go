package subject

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"dyno"
)

// digest hashes what makes a resolved server: the names and contents of the files in its folder, of the
// files that these import by relative paths, and of the program that was built, and the version of its
// package. Installed packages and runtimes are told by their versions, not by their content.
func (r *Registry) digest(s dyno.Subject, output string) (string, error) {
	files, err := filesOf(s.Dir)
	if err != nil {
		return "", fmt.Errorf("%w: make the subject's files readable", err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", s.Package, s.PackageVersion)
	if r.built[s.Name] {
		files = append(files, output)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("%w: make the subject's files readable", err)
		}
		name, err := filepath.Rel(s.Dir, path)
		if path == output || err != nil {
			name = "output" // wherever builds are put
		}
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// filesOf lists the regular files in a subject's folder, without installed packages, and then all that
// they import, directly or not.
func filesOf(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return filepath.SkipDir
		case d.Type().IsRegular():
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(files); i++ { // files grows on the way
		imported, err := relativeImports(files[i])
		if err != nil {
			return nil, err
		}
		for _, path := range imported {
			if !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	return files, nil
}

// script matches the names of the files in which imports are looked for.
var script = regexp.MustCompile(`\.[cm]?[jt]s$`)

// relativeImport matches the path of an import, export … from or import() that begins with a dot.
var relativeImport = regexp.MustCompile(`(?:\bfrom|\bimport)\s*\(?\s*["'](\.{1,2}/[^"'\n]+)["']`)

// relativeImports returns the files that a script imports by relative paths. A path that leads to no
// file is left out: it stands in a comment or a string, or the runtime will complain about it.
func relativeImports(path string) ([]string, error) {
	if !script.MatchString(path) {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, match := range relativeImport.FindAllSubmatch(text, -1) {
		file := filepath.Join(filepath.Dir(path), string(match[1]))
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	return files, nil
}
