// A mention says whether it was declared or found in the text, and how sure it is. All mentions of before were declared.
MATCH (m:Memory)-[mention:MENTIONS]->() WHERE mention.how IS NULL
CALL (mention) { SET mention.how = 'declared', mention.confidence = 1.0 } IN TRANSACTIONS OF 1000 ROWS;
