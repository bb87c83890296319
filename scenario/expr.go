package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"dyno/internal/words"
)

// expression is a condition as Artillery has them in ifTrue and ensure: comparisons (== != < <= > >=),
// and, or, not, in (list), arithmetic (+ - * / % ^), brackets, numbers, quoted text and names.
type expression func(s scope) any

// nestingMax is far deeper than any honest expression.
const nestingMax = 100

// parseExpression reads an expression. The error says what is wrong, without its place.
func parseExpression(source string) (expression, error) {
	p := &exprParser{}
	if err := p.tokenize(source); err != nil {
		return nil, err
	}
	e, err := p.binary(0)
	if err == nil && p.at < len(p.tokens) {
		err = fmt.Errorf("%s is not expected there", words.Quote(p.tokens[p.at].text))
	}
	if err != nil {
		return nil, fmt.Errorf("the expression %s cannot be read: %w; write it like http.response_time.p95 < 250 and vusers.failed == 0", words.Quote(source), err)
	}
	return e, nil
}

type exprToken struct {
	kind rune // 'n' number, 's' text, 'i' name, 'o' operator
	text string
}

type exprParser struct {
	tokens []exprToken
	at     int
	depth  int
}

func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_$.:", r)
}

func (p *exprParser) tokenize(s string) error {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		kind, n := 'o', 1
		switch c := s[0]; {
		case c == '"' || c == '\'':
			end := strings.IndexByte(s[1:], c)
			if end < 0 {
				return fmt.Errorf("the expression %s opens a quote and does not close it", words.Quote(s))
			}
			p.tokens = append(p.tokens, exprToken{'s', s[1 : end+1]})
			s = s[end+2:]
			continue
		case c >= '0' && c <= '9':
			kind, n = 'n', len(s)-len(strings.TrimLeft(s, "0123456789."))
		case slices.ContainsFunc([]string{"==", "!=", "<=", ">=", "&&", "||"}, func(op string) bool { return strings.HasPrefix(s, op) }):
			n = 2
		case !strings.ContainsRune("+-*/%^()<>,!", rune(c)):
			if kind, n = 'i', len(s)-len(strings.TrimLeftFunc(s, isNameRune)); n == 0 {
				return fmt.Errorf("the expression holds %s, which means nothing there", words.Quote(s[:1]))
			}
		}
		p.tokens = append(p.tokens, exprToken{kind, s[:n]})
		s = s[n:]
	}
	return nil
}

// levels are the binary operators, the weakest first.
var levels = [][]string{{"or", "||"}, {"and", "&&"}, {"in", "==", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}, {"^"}}

func (p *exprParser) take(ops ...string) string {
	if p.at < len(p.tokens) && p.tokens[p.at].kind != 's' && slices.Contains(ops, p.tokens[p.at].text) {
		p.at++
		return p.tokens[p.at-1].text
	}
	return ""
}

func (p *exprParser) binary(level int) (expression, error) {
	if level == len(levels) {
		return p.unary()
	}
	left, err := p.binary(level + 1)
	for err == nil {
		op := p.take(levels[level]...)
		if op == "" {
			return left, nil
		}
		if op == "in" {
			left, err = p.membership(left)
			continue
		}
		var right expression
		if right, err = p.binary(level + 1); err == nil {
			left = apply(op, left, right)
		}
	}
	return nil, err
}

func (p *exprParser) membership(left expression) (expression, error) {
	if p.take("(") == "" {
		return nil, fmt.Errorf("\"in\" needs a list in brackets")
	}
	var items []expression
	for {
		item, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		if p.take(",") == "" {
			break
		}
	}
	if p.take(")") == "" {
		return nil, fmt.Errorf("a bracket is not closed")
	}
	return func(s scope) any {
		v := left(s)
		return truth(slices.ContainsFunc(items, func(item expression) bool { return loosely(v, item(s)) }))
	}, nil
}

func (p *exprParser) unary() (expression, error) {
	if p.depth++; p.depth > nestingMax {
		return nil, fmt.Errorf("it is nested more than %d levels deep", nestingMax)
	}
	defer func() { p.depth-- }()
	switch p.take("not", "!", "-", "(") {
	case "not", "!":
		e, err := p.unary()
		return func(s scope) any { return truth(!truthy(e(s))) }, err
	case "-":
		e, err := p.unary()
		return func(s scope) any { return -numeric(e(s)) }, err
	case "(":
		e, err := p.binary(0)
		if err == nil && p.take(")") == "" {
			err = fmt.Errorf("a bracket is not closed")
		}
		return e, err
	}
	if p.at == len(p.tokens) {
		return nil, fmt.Errorf("it ends too early")
	}
	t := p.tokens[p.at]
	p.at++
	switch t.kind {
	case 's':
		return func(scope) any { return t.text }, nil
	case 'n':
		f, ok := parseNumber(t.text)
		if !ok {
			return nil, fmt.Errorf("%s is no number", words.Quote(t.text))
		}
		return func(scope) any { return f }, nil
	case 'i':
		return nameExpression(t.text), nil
	}
	return nil, fmt.Errorf("%s is not expected there", words.Quote(t.text))
}

// nameExpression looks up a name as a whole, as metrics have dots in theirs, then as a path.
func nameExpression(name string) expression {
	switch name {
	case "true":
		return func(scope) any { return true }
	case "false":
		return func(scope) any { return false }
	}
	path := parsePath(name)
	return func(s scope) any {
		if v, ok := s.lookup(name); ok || path == nil {
			return v
		}
		return get(s, path)
	}
}

func apply(op string, a, b expression) expression {
	switch op {
	case "or", "||":
		return func(s scope) any { return truth(truthy(a(s)) || truthy(b(s))) }
	case "and", "&&":
		return func(s scope) any { return truth(truthy(a(s)) && truthy(b(s))) }
	case "==":
		return func(s scope) any { return truth(loosely(a(s), b(s))) }
	case "!=":
		return func(s scope) any { return truth(!loosely(a(s), b(s))) }
	}
	return func(s scope) any {
		x, y := numeric(a(s)), numeric(b(s))
		switch op {
		case "<":
			return truth(x < y)
		case "<=":
			return truth(x <= y)
		case ">":
			return truth(x > y)
		case ">=":
			return truth(x >= y)
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		case "/":
			return x / y
		case "%":
			return math.Mod(x, y)
		}
		return math.Pow(x, y)
	}
}

func truth(b bool) any {
	if b {
		return 1.0
	}
	return 0.0
}

// loosely compares text with text and all else as numbers, where both are.
func loosely(a, b any) bool {
	if same(a, b) {
		return true
	}
	x, y := numeric(a), numeric(b)
	return x == y
}
