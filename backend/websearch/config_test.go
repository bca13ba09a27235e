package websearch

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
)

func env(pairs ...string) func(string) string {
	values := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return values[name] }
}

func TestFromEnv(t *testing.T) {
	t.Parallel()
	const local = "http://127.0.0.1:8080"
	for _, tc := range []struct {
		name string
		env  []string
		want []string
	}{
		{"nothing set", nil, []string{"local"}},
		{"a key", []string{envBrave, braveKey}, []string{"brave", "local"}},
		{"a server", []string{envSearXNG, local}, []string{"searxng", "local"}},
		{"all", []string{envBrave, braveKey, envSerper, serperKey, envSearXNG, local}, []string{"searxng", "brave", "serper", "local"}},
		{"an order", []string{envProviders, "local,brave", envBrave, braveKey}, []string{"local", "brave"}},
		{"an order with blanks and capitals", []string{envProviders, " Serper , LOCAL ", envSerper, " " + serperKey + "\n"}, []string{"serper", "local"}},
		{"a key that is not used", []string{envProviders, "local", envBrave, braveKey}, []string{"local"}},
		{"none of this installation's", []string{envProviders, "searxng", envSearXNG, "https://search.internal:8443/base/"}, []string{"searxng"}},
		{"an address in a private net", []string{envSearXNG, "http://10.0.0.7:8080"}, []string{"searxng", "local"}},
		{"IPv6", []string{envSearXNG, "http://[fd00::1]:8080"}, []string{"searxng", "local"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := FromEnv(env(tc.env...))
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Providers(); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
			whole, err := New(c, finds(NameLocal), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := whole.Names(); !reflect.DeepEqual(got, tc.want) || whole.Name() != strings.Join(tc.want, ",") {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestFromEnvRefuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		env  []string
		want []string
	}{
		{"an unknown provider", []string{envProviders, "bing,local"}, []string{envProviders, `"bing"`, "searxng, brave, serper, local"}},
		{"no key", []string{envProviders, "brave,local"}, []string{"names brave, for which " + envBrave + " must be set"}},
		{"no URL", []string{envProviders, "searxng"}, []string{"names searxng, for which " + envSearXNG + " must be set"}},
		{"twice", []string{envProviders, "local,local"}, []string{"names local twice"}},
		{"a comma too many", []string{envProviders, "local,"}, []string{"comma without a name"}},
		{"no scheme", []string{envSearXNG, "127.0.0.1:8080"}, []string{envSearXNG, "URL"}},
		{"another scheme", []string{envSearXNG, "ftp://search.internal/"}, []string{envSearXNG, "http or https"}},
		{"no host", []string{envSearXNG, "http://:8080/"}, []string{envSearXNG, "absolute"}},
		{"credentials", []string{envSearXNG, "https://admin:" + serperKey + "@search.internal/"}, []string{envSearXNG, "no credentials"}},
		{"a query", []string{envSearXNG, "http://search.internal/?q="}, []string{envSearXNG, "no query"}},
		{"a fragment", []string{envSearXNG, "http://search.internal/#x"}, []string{envSearXNG, "no query and no fragment"}},
		{"no URL at all", []string{envSearXNG, "http://[" + serperKey}, []string{envSearXNG, "is not a URL"}},
		{"a broken key", []string{envBrave, braveKey + "\n" + braveKey}, []string{envBrave, "character"}},
		{"a key with a quotation mark of a word processor", []string{envSerper, "“" + serperKey + "”"}, []string{envSerper, "character"}},
		{"a file for a key", []string{envSerper, strings.Repeat(serperKey, 40)}, []string{envSerper, "more than 512"}},
		{
			"all at once",
			[]string{envProviders, "bing,,brave", envSearXNG, "x"},
			[]string{`"bing"`, "comma without a name", envBrave, envSearXNG},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := FromEnv(env(tc.env...))
			if err == nil {
				t.Fatal("got no error")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want in it %q", err, want)
				}
			}
			for e := range tree(err) {
				if strings.Contains(e.Error(), braveKey[:10]) || strings.Contains(e.Error(), serperKey[:10]) {
					t.Errorf("the error holds a key: %v", e)
				}
			}
		})
	}
}

func TestConfigShowsNoKey(t *testing.T) {
	t.Parallel()
	c := Config{BraveKey: braveKey, SerperKey: serperKey}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "config", c)
	text := fmt.Sprintf("%v %+v %#v %s %v", c, c, c, c, []any{c, &c}) + log.String()
	if strings.Contains(text, braveKey) || strings.Contains(text, serperKey) || !strings.Contains(text, "brave,serper,local") {
		t.Errorf("got %s, want the names and no key", text)
	}
}

// The operators' page explains every reason in the log and every setting.
func TestPageNamesAll(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/searching.md")
	if err != nil {
		t.Fatal(err)
	}
	words := append([]string{envProviders, envSearXNG, envBrave, envSerper}, names...)
	for _, reason := range Reasons {
		words = append(words, string(reason))
	}
	for _, word := range words {
		if !strings.Contains(string(page), "\n| `"+word+"` |") {
			t.Errorf("docs/searching.md has no line of a table for %s", word)
		}
	}
}
