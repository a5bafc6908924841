"""Runs one prompt through the Python SDK against the client that the argument
names, and prints one JSON object: answer and usage, or message."""

import asyncio
import json
import sys

from openai_codex_sdk import Codex


async def outcome(client):
    try:
        thread = Codex({"codex_path_override": client}).start_thread()
        turn = await thread.run("Say something.")
    except Exception as error:
        return {"message": str(error)}
    usage = turn.usage.model_dump() if turn.usage else None
    return {"answer": turn.final_response, "usage": usage}


print(json.dumps(asyncio.run(outcome(sys.argv[1]))))
