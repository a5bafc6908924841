// Runs one prompt through the TypeScript SDK against the client that the argument
// names, and prints one JSON object: answer and usage, or message.
import { Codex } from "@openai/codex-sdk";

const codex = new Codex({ codexPathOverride: process.argv[2] });
let outcome;
try {
  const turn = await codex.startThread().run("Say something.");
  outcome = { answer: turn.finalResponse, usage: turn.usage };
} catch (error) {
  outcome = { message: error.message };
}
console.log(JSON.stringify(outcome));
