// Node's HTTP module for tests. An `import` of it reads all its exports, which loads undici: 70 ms of one
// core for each test process (tools/build/lean-http.ts avoids the same for the program).

export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
