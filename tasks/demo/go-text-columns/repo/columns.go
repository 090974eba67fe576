// Package textcolumns wraps text and lays it out in columns for a terminal.
package textcolumns

import (
	"strings"

	"example.org/textcolumns/internal/width"
)

// Wrap breaks a text into lines of at most so many columns, at blanks where it can.
func Wrap(text string, columns int) []string {
	if columns < 1 {
		columns = 1
	}
	var lines []string
	for _, paragraph := range strings.Split(text, "\n") {
		lines = append(lines, wrap(strings.Fields(paragraph), columns)...)
	}
	return lines
}

func wrap(words []string, columns int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		for len(word) > columns {
			if line != "" {
				lines = append(lines, line)
				line = ""
			}
			lines = append(lines, word[:columns])
			word = word[columns:]
		}
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) <= columns:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// Table lays rows out in columns, two blanks apart.
func Table(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width.Of(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-width.Of(cell)+2))
		}
		out.WriteString(strings.TrimRight(line.String(), " "))
		out.WriteByte('\n')
	}
	return out.String()
}
