// Places an order with the client of openapi-generator in Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	estate "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.WithValue(context.Background(), estate.ContextAccessToken, os.Getenv("ESTATE_BEARER_TOKEN"))
	client := estate.NewAPIClient(estate.NewConfiguration())
	sku := "mug-blue"
	body := estate.NewCreateBasketBody(estate.DIGITALCHANNEL_WEB)
	body.SetLines([]estate.RequestedLine{{Sku: &sku, Qty: 2}})
	basket, _, err := client.ECommercePlatformAPI.CreateBasketApi(ctx).CreateBasketBody(*body).Execute()
	must(err)
	address := estate.NewAddress("Ada Byrne", "1 Quay Street", "Galway", "IE")
	address.SetPostalCode("H91")
	checkout := estate.NewCheckoutBasketBody()
	checkout.SetShippingAddress(*address)
	checkout.SetPlaceOrder(true)
	placed, _, err := client.ECommercePlatformAPI.CheckoutBasketApi(ctx, basket.Id).CheckoutBasketBody(*checkout).Execute()
	must(err)
	id := placed.GetOrderId()
	_, _, err = client.OMSAPI.ConfirmOrderApi(ctx, id).Execute()
	var refused *estate.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic(err)
	}
	problem := refused.Model().(estate.Problem)
	fmt.Println("go", problem.Code)
	if !problem.HasOutstanding() {
		panic("the refusal has no amount that is outstanding")
	}
	tender := estate.NewDigitalTender("card")
	tender.SetToken("tok_visa")
	_, _, err = client.PaymentHubAPI.AuthorizePaymentApi(ctx).AuthorizePaymentBody(*estate.NewAuthorizePaymentBody(id, *tender)).Execute()
	must(err)
	order, _, err := client.OMSAPI.ConfirmOrderApi(ctx, id).Execute()
	must(err)
	fmt.Println("go", order.State)
}
