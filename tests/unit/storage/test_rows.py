"""What the driver is given: equal parameters, which it prints in no time."""

from neo4j._codec.packstream.v1 import PackableBuffer, Packer

from prefrontal.graph.storage.rows import to_parameters


def packed(value):
    buffer = PackableBuffer()
    Packer(buffer).pack(value)
    return bytes(buffer.data)


def test_the_driver_prints_no_list_and_sends_all_of_it():
    params = {"vector": [0.25] * 768, "rows": [{"vector": [0.5]}, {"vector": []}], "uid": "mem_1"}

    given = to_parameters(params)

    assert repr(given) == "{'p': {'vector': [768 items], 'rows': [2 items], 'uid': 'mem_1'}}"
    assert given == {"p": params}
    assert packed(given) == packed({"p": params})
