// Package words helps with what people type: it finds the name that a word was probably meant to be,
// and says so in one line.
package words

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	longestWord  = 64 // no valid name is longer, so no longer word is near one
	longestQuote = 40 // of what the user wrote, an error line repeats this many characters
	longestList  = 20 // of the valid names, an error line lists this many
)

// Unknown is the cause and the way out for a word that is not among the valid ones, e.g.
// `unknown key "blokcs"; did you mean "blocks"?`. The kind is what such words are called.
func Unknown(kind, word string, valid []string) string {
	message := "unknown " + kind + " " + Quote(word)
	if near := Nearest(word, valid); near != "" {
		return message + "; did you mean " + Quote(near) + "?"
	}
	if len(valid) == 0 {
		return message + "; there is none to choose from"
	}
	if more := len(valid) - longestList; more > 1 {
		return message + "; choose from " + strings.Join(valid[:longestList], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return message + "; choose from " + strings.Join(valid, ", ")
}

// Nearest returns the valid name that the word was probably meant to be: the one with the fewest
// typing errors (a letter wrong, missing, too many, or two swapped; case does not count), at most a
// third of the word, else the first name that contains the word. It is "" when none is near. Among
// equals the first wins.
func Nearest(word string, valid []string) string {
	word = strings.ToLower(word)
	if word == "" || len(word) > longestWord {
		return ""
	}
	best, bestErrors := "", max(1, utf8.RuneCountInString(word)/3)+1
	for _, name := range valid {
		if e := typingErrors(word, strings.ToLower(name)); e < bestErrors {
			best, bestErrors = name, e
		}
	}
	if best != "" || len(word) < 3 {
		return best
	}
	for _, name := range valid {
		if strings.Contains(strings.ToLower(name), word) {
			return name
		}
	}
	return ""
}

// Ranked returns up to n of the valid names, the nearest to word first.
func Ranked(word string, valid []string, n int) []string {
	sorted := slices.Clone(valid)
	slices.SortStableFunc(sorted, func(a, b string) int { return typingErrors(word, a) - typingErrors(word, b) })
	return sorted[:min(n, len(sorted))]
}

// typingErrors is the optimal string alignment distance: Levenshtein's, with a swap of two
// neighbours as one error, since that is the commonest slip of fingers.
func typingErrors(from, to string) int {
	a, b := []rune(from), []rune(to)
	before, previous, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			replace := previous[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			current[j] = min(replace, previous[j]+1, current[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}

// Quote puts what the user wrote in quotes, cut to a sensible length.
func Quote(s string) string { return strconv.Quote(Shorten(s)) }

// Shorten cuts what the user wrote to a sensible length.
func Shorten(s string) string { return Clip(s, longestQuote) }

// Clip cuts s after so many characters.
func Clip(s string, characters int) string {
	if runes := []rune(s); len(runes) > characters {
		return string(runes[:characters]) + "…"
	}
	return s
}

// Percentage reads a percentage such as "1%" or "0.5 %" as a share, here 0.01 and 0.005.
func Percentage(text string) (share float64, ok bool) {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(text), "%")
	percent, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	return percent / 100, isPercent && err == nil
}

// Count writes a number and its noun, e.g. "1 trial" or "3 trials".
func Count(n int, noun string) string { return strconv.Itoa(n) + " " + Plural(n, noun) }

// Plural is what so many are called, e.g. "trial" where it is one, else "trials".
func Plural(n int, noun string) string {
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "ch"):
		return noun + "es"
	}
	return noun + "s"
}
