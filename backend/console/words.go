package console

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/turnpike-edge/turnpike/clip"
)

// clipped cuts text to at most runesMax characters, the last of them an ellipsis.
func clipped(text string, runesMax int) string {
	text, _ = head(text, utf8.UTFMax*(runesMax+1)) // skip text far beyond the limit
	return clip.Chars(strings.ToValidUTF8(text, "\uFFFD"), runesMax)
}

// number formats an integer with thousands separators.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "−", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// counted is a number with its noun.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// moment is a time for readers and for machines.
type moment struct{ Text, Machine string }

const shownTime = "2 Jan 2006, 15:04 UTC"

// momentOf converts the API's times: Unix seconds, RFC 3339, or a time. Other text is shown as it is.
func momentOf(value any) moment {
	var at time.Time
	switch v := value.(type) {
	case int64:
		if v <= 0 {
			return moment{}
		}
		at = time.Unix(v, 0)
	case *string:
		if v == nil {
			return moment{}
		}
		return momentOf(*v)
	case string:
		parsed, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return moment{Text: clipped(v, 40)}
		}
		at = parsed
	case time.Time:
		at = v
	case *time.Time:
		if v == nil {
			return moment{}
		}
		at = *v
	}
	if at.IsZero() {
		return moment{}
	}
	at = at.UTC()
	return moment{Text: at.Format(shownTime), Machine: at.Format(time.RFC3339)}
}

// waitWords describes how long to wait.
func waitWords(d time.Duration) string {
	seconds := int64(d.Round(time.Second) / time.Second)
	switch {
	case seconds <= 0:
		return "a moment"
	case seconds < 120:
		return counted(seconds, "second", "seconds")
	default:
		return counted((seconds+59)/60, "minute", "minutes")
	}
}

// prettyJSON indents JSON; other text stays as it is.
func prettyJSON(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return text
	}
	return out.String()
}

// percent is the part of all that is done, from 0 to 100.
func percent(done, all int64) int64 {
	if all <= 0 {
		return 0
	}
	return min(100, max(0, done*100/all))
}
