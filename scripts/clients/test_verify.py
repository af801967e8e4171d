"""A verify that passes and one that fails, for a run that reads what pytest prints of them."""

import urllib.request


def call(mock):
    url = mock.url + "/v1/bluetoothlookup?companyid=76"
    urllib.request.urlopen(urllib.request.Request(url, headers={"x-api-key": mock.key})).close()


def test_passes(penknife):
    call(penknife)
    penknife.verify(api="bluetoothlookup", status=200, count=1)


def test_fails(penknife):
    call(penknife)
    penknife.verify(api="hmac", count=1)
