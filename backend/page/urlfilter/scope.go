package urlfilter

import (
	"errors"
	"net/netip"
	"path"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/turnpike-edge/turnpike/backend/page/fetch"
	"github.com/turnpike-edge/turnpike/backend/page/glob"
)

// Place is the position of a URL relative to the scope of a crawl or map.
type Place int

// The places.
const (
	// Out is neither fetched nor listed.
	Out Place = iota
	// Internal belongs to the site.
	Internal
	// External belongs to another site but is included. Its links are not followed.
	External
)

// Config defines the scope of a crawl or map.
type Config struct {
	// Start is the first URL. It is always in scope.
	Start fetch.URL
	// Landed is the redirect target of Start; the zero URL if there is none, or it is not known yet. Its host is in scope
	// if it is the host of Start, or has the same registrable domain.
	Landed fetch.URL
	// Subdomains includes all hosts of the same registrable domain.
	Subdomains bool
	// Externals includes pages of other sites.
	Externals bool
	// Globs select among the URLs of the site. Exclusion wins.
	Globs glob.Set
}

// Scope decides which URLs belong to a crawl or map. It is safe for concurrent use.
type Scope struct {
	config Config
	start  ID
	hosts  [2]string
	domain string
	moved  bool
}

// NewScope returns the scope that config describes.
func NewScope(config Config) (*Scope, error) {
	if config.Start.IsZero() {
		return nil, errors.New("a scope needs a start URL")
	}
	s := &Scope{config: config, hosts: [2]string{config.Start.Host(), config.Start.Host()}, domain: registrableDomain(config.Start.Hostname())}
	_, s.start = Key(config.Start)
	if landed := config.Landed; !landed.IsZero() && landed.Host() != s.hosts[0] {
		if s.related(landed) {
			s.hosts[1] = landed.Host()
		} else {
			s.moved = true
		}
	}
	return s, nil
}

// Moved reports whether the start page redirected to another site. It is then the only page.
func (s *Scope) Moved() bool { return s.moved }

// Place returns the place of u. Files that are not pages are always out.
func (s *Scope) Place(u fetch.URL) Place {
	switch {
	case u.IsZero():
		return Out
	case s.isStart(u):
		return Internal
	case IsFile(u):
		return Out
	case u.Host() == s.hosts[0], u.Host() == s.hosts[1], s.config.Subdomains && s.related(u):
		if s.config.Globs.Keeps(u) {
			return Internal
		}
	case s.config.Externals:
		return External
	}
	return Out
}

func (s *Scope) isStart(u fetch.URL) bool {
	if u.Host() != s.hosts[0] {
		return false
	}
	_, id := Key(u)
	return id == s.start
}

// isFar reports whether all URLs of a host (with port) are out, so that they need not be parsed.
func (s *Scope) isFar(host string) bool {
	return !s.config.Externals && !s.config.Subdomains && host != s.hosts[0] && host != s.hosts[1]
}

// related reports whether u has the registrable domain of the start.
func (s *Scope) related(u fetch.URL) bool {
	if s.domain == "" {
		return false
	}
	host := u.Hostname()
	return (host == s.domain || strings.HasSuffix(host, "."+s.domain)) && registrableDomain(host) == s.domain
}

// registrableDomain returns the registrable domain of a host by the public suffix list, including its private suffixes; ""
// for an IP address and for a suffix.
func registrableDomain(hostname string) string {
	if _, err := netip.ParseAddr(strings.Trim(hostname, "[]")); err == nil {
		return ""
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(strings.TrimSuffix(hostname, "."))
	if err != nil {
		return ""
	}
	return domain
}

// files are the extensions of files that are not pages: archives, media, fonts, programs and page resources. Documents with
// text (PDF, office formats, feeds, JSON) are not included.
var files = func() map[string]bool {
	all := map[string]bool{}
	for ending := range strings.FieldsSeq(`
		7z apk bz2 cab deb dmg gz iso jar msi pkg rar rpm tar tgz war xz zip zst
		aac aiff avi flac flv m3u8 m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus wav weba webm wma wmv
		avif bmp cur gif heic heif ico jpeg jpg jxl png psd svg tif tiff webp
		eot otf ttf woff woff2
		bin class dll dylib exe msix o so wasm
		css js map mjs swf torrent`) {
		all["."+ending] = true
	}
	return all
}()

// IsFile reports whether u has the extension of a file that is not a page. Sitemaps may be .gz files, but are not crawled.
func IsFile(u fetch.URL) bool {
	target, _, _ := strings.Cut(u.PathAndQuery(), "?")
	ending := path.Ext(target)
	return len(ending) > 1 && len(ending) < 10 && files[strings.ToLower(ending)]
}
