// Places an order with the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"

	"clients/estate"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func read(text string, into any) {
	must(json.NewDecoder(strings.NewReader(text)).Decode(into))
}

func main() {
	withToken := estate.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("ESTATE_BEARER_TOKEN"))
		return nil
	})
	client, err := estate.NewClientWithResponses(os.Getenv("ESTATE_URL"), withToken)
	must(err)
	ctx := context.Background()
	var lines estate.CreateBasketApiJSONRequestBody
	read(`{"channel":"web","lines":[{"sku":"mug-blue","qty":2}]}`, &lines)
	basket, err := client.CreateBasketApiWithResponse(ctx, nil, lines)
	must(err)
	var checkout estate.CheckoutBasketApiJSONRequestBody
	read(`{"placeOrder":true,"shippingAddress":{"name":"Ada Byrne","line1":"1 Quay Street","city":"Galway","postalCode":"H91","country":"IE"}}`, &checkout)
	placed, err := client.CheckoutBasketApiWithResponse(ctx, basket.JSON201.Id, nil, checkout)
	must(err)
	id := *placed.JSON200.OrderId
	refused, err := client.ConfirmOrderApiWithResponse(ctx, id, nil)
	must(err)
	fmt.Println("oapi-codegen", refused.ApplicationproblemJSON409.Code)
	tender := estate.DigitalTender{Type: "card", Token: new(string)}
	*tender.Token = "tok_visa"
	_, err = client.AuthorizePaymentApiWithResponse(ctx, nil, estate.AuthorizePaymentApiJSONRequestBody{OrderId: id, Tender: tender})
	must(err)
	order, err := client.ConfirmOrderApiWithResponse(ctx, id, nil)
	must(err)
	fmt.Println("oapi-codegen", order.JSON200.State)
}
