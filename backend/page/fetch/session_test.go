package fetch

import (
	"fmt"
	"net/http"
	neturl "net/url"
	"strconv"
	"strings"
	"testing"
)

// Cookies of one fetch are sent by the session's next fetch, and by no other session.
func TestSessionKeepsCookies(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("seen"); err == nil {
			fmt.Fprint(w, "again")
		}
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
	})
	client := newClient(t, nil)
	session, err := client.NewSession("")
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct {
		session *Session
		want    string
	}{{session, ""}, {session, "again"}, {nil, ""}, {nil, ""}} {
		response, err := client.Get(t.Context(), Request{URL: mustParse(t, server.URL+"/a"), Session: tt.session})
		if err != nil || string(response.Body) != tt.want {
			t.Errorf("fetch %d: got %v, %v, want %q", i, response, err, tt.want)
		}
	}
}

func TestJarHasAnEnd(t *testing.T) {
	t.Parallel()
	u, err := neturl.Parse("https://example.com/a")
	if err != nil {
		t.Fatal(err)
	}
	sent := func(j *jar) (count, size int) {
		for _, cookie := range j.of(u) {
			count++
			size += len(cookie.Name) + len(cookie.Value) + len("=; ")
		}
		return count, size
	}
	many := newJar()
	for i := range 10_000 {
		many.add(u, []*http.Cookie{{Name: "n" + strconv.Itoa(i), Value: "v"}})
	}
	if count, _ := sent(many); count != cookiesMax {
		t.Errorf("10,000 cookies: got %d back, want %d", count, cookiesMax)
	}
	many.add(u, []*http.Cookie{{Name: "n0", Value: "other"}})
	if got := many.of(u)[0].Value; got != "other" {
		t.Errorf("a full jar: got %q, want the cookie that was there to change", got)
	}
	many.add(u, []*http.Cookie{{Name: "n1", MaxAge: -1}, {Name: "new", Value: "v"}})
	if count, _ := sent(many); count != cookiesMax {
		t.Errorf("one removed and one added: got %d, want %d", count, cookiesMax)
	}
	large := newJar()
	for i := range 1000 {
		large.add(u, []*http.Cookie{{Name: "n" + strconv.Itoa(i), Value: strings.Repeat("v", 4000)}})
	}
	if _, size := sent(large); size == 0 || size > jarBytesMax+2*cookiesMax {
		t.Errorf("4 MB of cookies: got %d bytes back, want at most %d", size, jarBytesMax)
	}
	large = newJar()
	large.add(u, []*http.Cookie{{Name: "n", Value: strings.Repeat("v", cookieBytesMax)}})
	if count, _ := sent(large); count != 0 {
		t.Error("a cookie of more than 4096 bytes was kept")
	}
}
