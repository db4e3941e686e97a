package server

import (
	"net/http"
	"net/url"
	"strconv"

	"vibey/server/project"
)

const (
	searchHits = 50  // results if no limit is named
	searchMost = 500 // results, at most
)

// searchAnswer is the answer of GET search.
type searchAnswer struct {
	Results []project.SearchResult `json:"results"`
	More    bool                   `json:"more"` // there are others behind these
}

func (s *server) searchProject(w http.ResponseWriter, r *http.Request, p *project.Project) error {
	q, err := searchQuery(r.URL.RawQuery)
	if err != nil {
		return err
	}
	hits, more, err := p.Search(r.Context(), q)
	if err != nil {
		return err
	}
	return writeJSON(w, searchAnswer{hits, more})
}

// searchQuery reads what to search for from a URL's query.
func searchQuery(raw string) (q project.Query, err error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return q, badSearch("The query of this address can't be read; encode what stands in it (\"%\" as \"%25\").")
	}
	q.Text = query.Get("q")
	if problem := q.Problem(); problem != "" {
		return q, badSearch("?q " + problem)
	}
	switch in := query.Get("in"); in {
	case "", "all":
		q.Docs, q.Dialogs = true, true
	case "docs":
		q.Docs = true
	case "dialogs":
		q.Dialogs = true
	default:
		return q, badSearch("?in is " + strconv.Quote(excerpt(in)) + "; it is docs, dialogs or all.")
	}
	q.Most = searchHits
	if limit := query.Get("limit"); limit != "" {
		if q.Most, err = strconv.Atoi(limit); err != nil || q.Most < 1 || q.Most > searchMost {
			return q, badSearch("?limit is " + strconv.Quote(excerpt(limit)) + "; it is a number from 1 to " + strconv.Itoa(searchMost) + ".")
		}
	}
	return q, nil
}

func badSearch(detail string) error {
	return refuse(400, "bad-query", detail+" Nothing was searched.")
}
