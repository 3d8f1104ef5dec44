// `npm test`: sets the clone up, checks the types, runs the whole suite. Arguments go to mocha; a file narrows the suite.
// What needs programs of others beside the browser is left to `npm run test:interop`.
import { binOf, run, runMain, setup } from './setup.mjs'
import { typecheck } from './typecheck.mjs'

await runMain(async () => {
  await setup()
  process.exitCode = await typecheck()
  if (process.exitCode !== 0) return
  const args = process.argv.slice(2)
  const files = args.some((arg) => arg.endsWith('.spec.ts'))
    ? []
    : ['--ignore', 'tests/interop/**', 'tests/**/*.spec.ts']
  process.exitCode = await run(process.execPath, [binOf('mocha'), ...args, ...files])
})
