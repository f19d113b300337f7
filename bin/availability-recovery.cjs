#!/usr/bin/env node
'use strict';

// CommonJS and plain syntax, so that an old Node prints a sentence instead of a stack. The sentence
// and package.json's `engines` say the same.
const needed = [22, 18];
const found = process.versions.node.split('.').map(Number);

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  console.error(
    `availability-recovery: Node >= ${needed.join('.')} is needed, this is ${process.versions.node}`,
  );
  process.exitCode = 1;
} else {
  import('../dist/src/cli/main.js').catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
}
