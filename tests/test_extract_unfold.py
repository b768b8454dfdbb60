"""What programs print as JSON teaches the same as the rows that they print for people."""

import json

import pytest

from walissh.memory.extract import facts


def values(command: str, tree: object) -> set[str]:
    return {each.value for each in facts.from_tool(json.dumps(tree), command=command, rc=0)}


def named(command: str, text: str) -> dict[str, str]:
    return {each.subject: each.value for each in facts.from_tool(text, command=command, rc=0)}


def test_addresses_are_read_without_the_loopback() -> None:
    lo = {"ifname": "lo", "addr_info": [{"family": "inet", "local": "127.0.0.1", "prefixlen": 8}]}
    up = {"ifname": "enp9", "addr_info": [{"family": "inet", "local": "10.1.9.4", "prefixlen": 23}]}
    assert values("ip -j addr", [lo, up]) == {"10.1.9.4/23 enp9"}


def test_disks_are_read_with_what_is_in_them() -> None:
    part = {"name": "sdq1", "size": "2T", "type": "part", "mountpoints": ["/srv/vault"]}
    disk = {"name": "sdq", "size": "2T", "type": "disk", "mountpoints": [None], "children": [part]}
    found = values("lsblk -J", {"blockdevices": [disk]})
    assert found == {"sdq 2T disk", "sdq1 on /srv/vault, 2T part"}


def test_the_processor_is_read_from_fields() -> None:
    fields = [{"field": "CPU(s):", "data": "28"}, {"field": "Model name:", "data": "Zhaoxin KX"}]
    assert values("lscpu -J", {"lscpu": fields}) == {"28", "Zhaoxin KX"}


def test_packages_and_nodes_are_read() -> None:
    assert values("pip list --format=json", [{"name": "attrs", "version": "25.1.0"}]) == {"25.1.0"}
    info = {"kubeletVersion": "v1.33.2", "containerRuntimeVersion": "containerd://2.1.1"}
    status = {"addresses": [{"address": "10.4.4.4"}], "nodeInfo": info}
    node = {"kind": "Node", "metadata": {"name": "wk-5"}, "status": status}
    assert values("kubectl get nodes -o json", {"items": [node]}) >= {"1.33.2", "2.1.1"}


@pytest.mark.parametrize("shape", ["json", "yaml"])
def test_both_sides_of_a_cluster_tool_are_told_apart(shape: str) -> None:
    sides = {"clientVersion": {"gitVersion": "v1.33.1"}, "serverVersion": {"gitVersion": "v1.32.9"}}
    plain = 'clientVersion:\n  gitVersion: v1.33.1\nserverVersion:\n  gitVersion: "v1.32.9"\n'
    text = json.dumps(sides, indent=2) if shape == "json" else plain
    found = named(f"kubectl version -o {shape}", text)
    assert found == {"kubectl": "1.33.1", "kubernetes": "1.32.9"}


@pytest.mark.parametrize("text", ['{"blockdevices": [', "[" * 9000, '{"blockdevices": 7}', "{}"])
def test_what_is_no_such_json_teaches_nothing(text: str) -> None:
    assert facts.from_tool(text, command="lsblk -J", rc=0) == []


def test_a_template_asks_for_the_version_of_what_answers() -> None:
    assert named("docker info --format '{{.ServerVersion}}'", "29.0.4") == {"docker": "29.0.4"}


def test_columns_of_a_query_are_read_by_their_names() -> None:
    command = "nvidia-smi --query-gpu=name,driver_version --format=csv"
    found = named(command, "name, driver_version\nNVIDIA H20, 570.11.02")
    assert found == {"nvidia driver": "570.11.02", "gpu": "NVIDIA H20"}


def test_a_localised_listing_is_read_by_its_labels() -> None:
    assert named("lscpu", "型号名称：   Hygon C86 7285\nCPU:   64")["cpu model"] == "Hygon C86 7285"
