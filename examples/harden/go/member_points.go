// A member gets 20 points for a review of a product. The app then shows the new balance.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"
)

type balance struct {
	ID, CreatedAt, UpdatedAt, CustomerID, CardNumber, Tier                                  string
	Version, PointsBalance, LifetimePoints, NextTierThreshold, PointsToNextTier, EntryCount int
	Entries                                                                                 []json.RawMessage
}

var client = http.Client{Timeout: 5 * time.Second}

func main() {
	text, _ := json.Marshal(map[string]any{"points": 20, "reason": "review"})
	request, _ := http.NewRequest("POST", os.Getenv("ESTATE_URL")+"/loyalty/accounts/loy_ada/points", bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ESTATE_BEARER_TOKEN"))
	request.Header.Set("X-Rehearsal", os.Getenv("ESTATE_REHEARSAL"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", rand.Text())
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		log.Fatal(response.Status)
	}
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
