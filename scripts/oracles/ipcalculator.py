"""Answers for networks from Python's own ipaddress."""
import ipaddress
import json
import sys


def edges_of_hosts(network):
    if network.num_addresses <= 2:
        return network[0], network[-1]
    return network[1], network[-2 if network.version == 4 else -1]


def answer(case):
    interface = ipaddress.ip_interface(case["network"])
    network = interface.network
    others = [ipaddress.ip_network(text, strict=False) for text in case["others"]]
    same = [network] + [one for one in others if one.version == network.version]
    rest = [one for one in others if one.version != network.version]
    joined = [list(ipaddress.collapse_addresses(group)) for group in (same, rest)]
    joined.sort(key=lambda group: group[0].version if group else 4)
    return {
        "network": str(network),
        "first": str(network[0]),
        "last": str(network[-1]),
        "netmask": str(network.netmask),
        "wildcard": str(network.hostmask),
        "hosts": [str(one) for one in edges_of_hosts(network)],
        "count": str(network.num_addresses),
        "reverse": interface.ip.reverse_pointer,
        "parts": [str(part) for part in network.subnets(new_prefix=case["split"])],
        "aggregated": [str(one) for group in joined for one in group],
        "global": interface.ip.is_global,
    }


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
