"""The examples under deploy/ are read by nobody here but by these tests: they parse, and name only what there is."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from prime.core.settings import Settings

DEPLOY = Path(__file__).parent.parent / "deploy"
COMPOSED = sorted(DEPLOY.glob("compose*.yaml"))
VARIABLES = {str(field.validation_alias) for field in Settings.model_fields.values()}


def services(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text("utf-8"))["services"]


def settings_in(text: str) -> set[str]:
    return set(re.findall(r"\bPRIME_[A-Z_]+", text))


@pytest.mark.parametrize("path", sorted(p for p in DEPLOY.iterdir() if p.is_file()), ids=lambda p: p.name)
def test_every_setting_that_is_named_exists(path: Path) -> None:
    assert settings_in(path.read_text("utf-8")) <= VARIABLES


@pytest.mark.parametrize("path", COMPOSED, ids=lambda p: p.name)
def test_what_a_service_uses_is_declared(path: Path) -> None:
    document = yaml.safe_load(path.read_text("utf-8"))
    for name, service in document["services"].items():
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in document["volumes"], f"{name} uses {volume}"
        for network in service.get("networks", []):
            assert network in document["networks"]
        for other in service.get("depends_on", {}):
            assert other in document["services"]
        if "build" in service:
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).resolve().is_file()


def test_three_replicas_share_a_database_and_a_key_and_nothing_else() -> None:
    found = services(DEPLOY / "compose.replicas.yaml")
    replicas = [service for name, service in found.items() if name.startswith("prime")]
    assert len(replicas) == 3
    assert all("database" in one["depends_on"] for one in replicas)
    assert len({one["environment"]["PRIME_DATABASE_URL"] for one in replicas}) == 1
    assert all("PRIME_SECRET_KEY" in one["environment"] for one in replicas)
    assert len({tuple(one["volumes"]) for one in replicas}) == 3


def test_only_the_proxy_is_believed_and_reachable() -> None:
    for path in COMPOSED:
        found = services(path)
        assert [name for name, service in found.items() if "ports" in service] == ["proxy"]
        address = found["proxy"]["networks"]["inside"]["ipv4_address"]
        primes = [service for name, service in found.items() if name.startswith("prime")]
        assert {one["environment"]["PRIME_TRUSTED_PROXIES"] for one in primes} == {address}


# Each covers something in /proc, and then the kernel lets nobody without root mount another one (seen by running bubblewrap
# behind such a cover): every tool that needs the sandbox would be refused.
COVER_PROC = {"ProtectKernelTunables", "ProtectKernelLogs", "ProtectHostname", "ProcSubset", "PrivatePIDs"}


def test_the_service_leaves_the_sandbox_what_it_is_made_of() -> None:
    lines = [line for line in (DEPLOY / "prime.service").read_text("utf-8").splitlines() if not line.startswith("#")]
    named = {line.partition("=")[0] for line in lines}
    assert not named & {*COVER_PROC, "RestrictNamespaces", "SystemCallFilter", "MountFlags"}
    assert {"NoNewPrivileges=true", "CapabilityBoundingSet=", "User=prime"} <= set(lines)


def test_containers_leave_the_sandbox_what_it_is_made_of_and_have_no_power() -> None:
    for path in COMPOSED:
        for name, service in services(path).items():
            if name.startswith("prime"):
                allowed = {"seccomp=unconfined", "apparmor=unconfined", "systempaths=unconfined"}
                assert {*service["security_opt"]} == {*allowed, "no-new-privileges:true"}
                assert service["cap_drop"] == ["ALL"]
                assert "privileged" not in service
