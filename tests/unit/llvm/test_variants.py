"""Cache of shader variants: eviction, limits, threads."""

from __future__ import annotations

import threading
import time

import pytest

from backends.llvm.engine.variants import VariantCache


def test_a_value_is_built_once() -> None:
    built: list[int] = []
    cache: VariantCache[int, str] = VariantCache(lambda key: built.append(key) or str(key))  # type: ignore[func-returns-value]
    assert [cache.get(k) for k in (1, 2, 1, 2)] == ["1", "2", "1", "2"]
    assert built == [1, 2]


def test_the_least_recently_used_goes_first() -> None:
    built: list[int] = []
    cache: VariantCache[int, int] = VariantCache(lambda key: built.append(key) or key, max_count=2)  # type: ignore[func-returns-value]
    for key in (1, 2, 1, 3, 1, 2):
        cache.get(key)
    assert built == [1, 2, 3, 2]
    assert len(cache) == 2


def test_weight_bounds_the_sum_but_keeps_the_last() -> None:
    cache: VariantCache[int, int] = VariantCache(lambda key: key, max_weight=10, weight=lambda value: value)
    for key in (4, 5, 6):
        cache.get(key)
    assert cache.total_weight == 6
    cache.get(100)
    assert (len(cache), cache.total_weight) == (1, 100)
    cache.clear()
    assert (len(cache), cache.total_weight) == (0, 0)


def test_threads_wait_for_one_builder_and_others_go_on() -> None:
    started, go = threading.Event(), threading.Event()
    built: list[str] = []

    def build(key: str) -> str:
        built.append(key)
        if key == "slow":
            started.set()
            assert go.wait(5)
        return key

    cache: VariantCache[str, str] = VariantCache(build)
    results: list[str] = []
    threads = [threading.Thread(target=lambda: results.append(cache.get("slow"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert started.wait(5)
    assert cache.get("quick") == "quick"
    go.set()
    for thread in threads:
        thread.join(5)
    assert results == ["slow"] * 4
    assert sorted(built) == ["quick", "slow"]


def test_a_failed_build_is_seen_by_all_and_not_kept() -> None:
    fail = True

    def build(key: int) -> int:
        time.sleep(0.01)
        if fail:
            raise ValueError("not today")
        return key

    cache: VariantCache[int, int] = VariantCache(build)
    errors: list[BaseException] = []

    def attempt() -> None:
        try:
            cache.get(1)
        except ValueError as error:
            errors.append(error)

    threads = [threading.Thread(target=attempt) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert len(errors) == 3
    fail = False
    assert cache.get(1) == 1


def test_limits_must_be_positive() -> None:
    with pytest.raises(ValueError, match="positive"):
        VariantCache(lambda key: key, max_count=0)
