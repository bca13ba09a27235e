// Package extraction makes JSON of a page by a schema or a prompt, with a language model or from the page's own labels.
package extraction
