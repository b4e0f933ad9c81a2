"""The language: facts, programs, texts, tokens, messages. The ground floor: it imports nothing of ours."""
