import urllib.error
import urllib.request

import pytest


def look_up(service):
    url = f"{service.url}/v1/bluetoothlookup?companyid=76"
    request = urllib.request.Request(url, headers={"x-api-key": service.key})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_call_that_fails_once_succeeds_when_it_is_repeated(penknife):
    penknife.fault(api="bluetoothlookup", status=503, times=1)
    assert look_up(penknife) == 503
    assert look_up(penknife) == 200
    penknife.verify(api="bluetoothlookup", order=[{"status": 503}, {"status": 200}])


def test_verify_says_what_came_instead(penknife):
    look_up(penknife)
    with pytest.raises(AssertionError, match="#1 GET /v1/bluetoothlookup"):
        penknife.verify(api="hmac", count=1)
