// A receiver of events: verifies the signature, answers 204, and prints what came.
//
//	ESTATE_WEBHOOK_SECRET=whsec_… go run . 3000
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("ESTATE_WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal("ESTATE_WEBHOOK_SECRET is not a secret: ", err)
	}
	host, isSet := os.LookupEnv("HOST")
	if !isSet {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening")
	log.Fatal(http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err == nil {
			err = webhook.Verify(body, request.Header)
		}
		if err != nil {
			http.Error(response, err.Error(), http.StatusUnauthorized)
			return
		}
		var event struct{ Type, Subject string }
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Println("received", event.Type, event.Subject)
		response.WriteHeader(http.StatusNoContent)
	})))
}
