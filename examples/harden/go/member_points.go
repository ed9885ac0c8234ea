// A member gets 20 points for a review of a product. The app then shows the new balance.
package main

import (
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

type balance struct {
	ID, CreatedAt, UpdatedAt, CustomerID, CardNumber, Tier                                  string
	Version, PointsBalance, LifetimePoints, NextTierThreshold, PointsToNextTier, EntryCount int
	Entries                                                                                 []json.RawMessage
}

var client = http.Client{Timeout: 4 * time.Second}

// Tries the call as often as given, with one key.
func issue(body, key string, tries int) *http.Response {
	request, _ := http.NewRequest("POST", os.Getenv("ESTATE_URL")+"/loyalty/accounts/loy_ada/points", strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ESTATE_BEARER_TOKEN"))
	request.Header.Set("X-Rehearsal", os.Getenv("ESTATE_REHEARSAL"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := client.Do(request)
	if err == nil && response.StatusCode < 300 {
		return response
	}
	if tries == 1 || err == nil && response.StatusCode < 500 && response.StatusCode != 429 {
		log.Fatal(response, err)
	}
	time.Sleep(200 * time.Millisecond)
	return issue(body, key, tries-1)
}

func main() {
	response := issue(`{"points":20,"reason":"review"}`, rand.Text(), 4)
	defer response.Body.Close()
	var account balance
	decoder := json.NewDecoder(response.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&account); err != nil {
		log.Fatal(err)
	}
	if file := os.Getenv("CHECK_FILE"); file != "" {
		view, _ := json.Marshal(map[string]int{"points": account.PointsBalance})
		os.WriteFile(file, view, 0o644)
	}
}
