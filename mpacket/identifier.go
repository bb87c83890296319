package mpacket

import "strings"

// DefaultNamespace is the namespace of an identifier that names none.
const DefaultNamespace = "minecraft"

// SplitIdentifier takes an identifier apart: "stone" and "minecraft:stone" both give "minecraft" and
// "stone". ok is false when s is not an identifier: a namespace of a-z 0-9 _ - . and a path of these
// and /, of which only the namespace may be missing.
func SplitIdentifier(s string) (namespace, path string, ok bool) {
	namespace, path, found := strings.Cut(s, ":")
	if !found {
		namespace, path = DefaultNamespace, s
	}
	if namespace == "" && found {
		namespace = DefaultNamespace
	}
	return namespace, path, path != "" && isNamespace(namespace) && isPath(path)
}

func isNamespace(s string) bool {
	for i := range len(s) {
		if !isIdentifierByte(s[i]) {
			return false
		}
	}
	return true
}

func isPath(s string) bool {
	for i := range len(s) {
		if !isIdentifierByte(s[i]) && s[i] != '/' {
			return false
		}
	}
	return true
}

func isIdentifierByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// AppendIdentifier appends s as a string. It does not check; a Writer does.
func AppendIdentifier(b []byte, s string) []byte { return AppendString(b, s) }

// ConsumeIdentifier reads an identifier, in the form in which it was sent. n is that of
// ConsumeString, and -ErrBadIdentifier when the string is no identifier.
func ConsumeIdentifier(b []byte) (s string, n int) {
	s, n = ConsumeString(b, MaxStringUnits)
	if n <= 0 {
		return "", n
	}
	if _, _, ok := SplitIdentifier(s); !ok {
		return "", -int(ErrBadIdentifier)
	}
	return s, n
}
