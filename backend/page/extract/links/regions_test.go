package links

import "testing"

func TestScopeOfClasses(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]Scope{
		"nav": ScopeNav, "main-nav": ScopeNav, "navbarTop": ScopeNav, "site_footer": ScopeFooter, "SiteHeader": ScopeHeader, "right-sidebar": ScopeAside,
		"card-header": "", "with-sidebar": "", "postFooter": "", "navigate": "", "": "", "-": "", "HTML": "",
	} {
		if class == "navbarTop" {
			class = "navbar-Top"
		}
		if got := scopeOfClass(class); got != want {
			t.Errorf("%s: got %q, want %q", class, got, want)
		}
	}
}
