"""Asks a TimeGate for a page by the client library of the authors of RFC 7089. Arguments: TimeGate, URL, dates."""

import json
import sys
from datetime import datetime

import requests
from memento_client import MementoClient


def answer(timegate, url, date):
    client = MementoClient(timegate_uri=timegate)
    info = client.get_memento_info(url, datetime.strptime(date, "%Y-%m-%dT%H:%M:%S"))
    mementos = info.get("mementos", {})
    told = {name: [memento["uri"][0], memento["datetime"].isoformat()] for name, memento in mementos.items()}
    closest = mementos["closest"]["uri"][0]
    return {
        "original": info["original_uri"],
        "mementos": told,
        "status": mementos["closest"]["http_status_code"],
        "isTimeGate": bool(MementoClient.is_timegate(info["timegate_uri"])),
        "isMemento": bool(MementoClient.is_memento(closest)),
        "text": requests.get(closest, timeout=10).text,
    }


if __name__ == "__main__":
    print(json.dumps([answer(sys.argv[1], sys.argv[2], date) for date in sys.argv[3:]]))
