// Package metadata reads what a page says about itself: title, description, language, authors, dates, images.
//
// Read collects the page's claims, as written. Settle decides between them once the rest of the page is known.
package metadata
