package crawls

import (
	"testing"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
)

func TestFolders(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://a.test/": "https://a.test/", "https://a.test": "https://a.test/", "https://a.test/x": "https://a.test/", "https://a.test/x/": "https://a.test/",
		"https://a.test/x/y?z=/q#f": "https://a.test/x/", "https://a.test/x/y/": "https://a.test/x/",
	} {
		u, err := fetch.ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := folderOf(u); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
}
