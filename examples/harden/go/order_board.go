// A board in the warehouse lists each order with its state, from its events. One order arrives, and is cancelled because nobody pays.
package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

type object struct {
	ID, OrderID, State, Secret string
	Version                    int
}

var client, board, seen = http.Client{Timeout: 15 * time.Second}, map[string]object{}, map[string]bool{}
var key, lock = []byte{}, sync.Mutex{}

func isGenuine(headers http.Header, body []byte) bool {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", headers.Get("webhook-id"), headers.Get("webhook-timestamp"), body)
	sentAt, _ := strconv.ParseInt(headers.Get("webhook-timestamp"), 10, 64)
	isFresh := time.Since(time.Unix(sentAt, 0)).Abs() < 5*time.Minute
	return isFresh && strings.Contains(headers.Get("webhook-signature"), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

func receive(response http.ResponseWriter, request *http.Request) {
	lock.Lock()
	defer lock.Unlock()
	var event struct {
		Type string
		Data struct{ Object object }
	}
	body, err := io.ReadAll(request.Body)
	if err != nil || !isGenuine(request.Header, body) || json.Unmarshal(body, &event) != nil {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	seen[request.Header.Get("webhook-id")] = true
	order := event.Data.Object
	known, isKnown := board[order.ID]
	if strings.HasSuffix(event.Type, ".order-created") && !isKnown || isKnown && known.Version < order.Version {
		board[order.ID] = order
	}
	response.WriteHeader(http.StatusNoContent)
}

func call(method, path, token, body string) (to object) {
	request, _ := http.NewRequest(method, os.Getenv("ESTATE_URL")+path, strings.NewReader(body))
	request.Header = http.Header{"Authorization": {"Bearer " + os.Getenv(token)}, "X-Rehearsal": {os.Getenv("ESTATE_REHEARSAL")}}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", rand.Text())
	response, err := client.Do(request)
	if err != nil || response.StatusCode >= 300 || json.NewDecoder(response.Body).Decode(&to) != nil {
		log.Fatal(method, path, response, err)
	}
	return to
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(listener, http.HandlerFunc(receive))
	webhook := fmt.Sprintf(`{"url":"http://%s/events","types":["order-created","order-cancelled"]}`, listener.Addr())
	secret := call("PUT", "/_control/webhooks/copy", "ESTATE_ADMIN_TOKEN", webhook).Secret
	key, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	basket := call("POST", "/baskets", "ESTATE_BEARER_TOKEN", `{"channel":"web","customerId":"cus_ada","lines":[{"sku":"mug-blue","qty":2}]}`)
	address := `{"name":"Ada Byrne","line1":"1 Quay Street","city":"Galway","postalCode":"H91","country":"IE"}`
	checkout := `{"placeOrder":true,"shippingAddress":` + address + `}`
	id := call("POST", "/baskets/"+basket.ID+"/checkout", "ESTATE_BEARER_TOKEN", checkout).OrderID
	call("POST", "/_control/clock/advance", "ESTATE_ADMIN_TOKEN", `{"by":"P2D"}`)
	lock.Lock()
	view, _ := json.Marshal(map[string][]string{"states": {board[id].State}})
	if file := os.Getenv("CHECK_FILE"); file != "" {
		os.WriteFile(file, view, 0o644)
	}
	if len(seen) != 2 {
		log.Fatal("An event did not arrive.")
	}
}
