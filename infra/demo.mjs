// `npm run demo`: the service in development mode with demo data, and an application to sign in to.
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { binOf, root, runMain, setup } from './setup.mjs'

const redirectUri = 'http://localhost:8090/callback'

await runMain(async () => {
  await setup()
  process.env.SVC_DEV = '1'
  const seeded = execFileSync(
    process.execPath,
    [join(root, '.build', 'cli', 'main.js'), 'seed-demo', '--json'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, SVC_LOG_LEVEL: 'warn' },
    },
  )
  const { clientId, clientSecret } = JSON.parse(seeded)
  if (clientSecret === null) {
    console.log(
      'Demo: the client secret of the demo application was rotated, so the application is not started. Delete “Demo application” and start the demo again.',
    )
    await import('./start.mjs')
    return
  }
  const app = spawn(process.execPath, [binOf('tsx'), join(root, 'infra', 'demo-app', 'main.ts')], {
    stdio: 'inherit',
    env: {
      ...process.env,
      DEMO_ISSUER:
        process.env.SVC_PUBLIC_URL ??
        `http://localhost:${(process.env.SVC_LISTEN ?? ':8080').split(':').at(-1)}`,
      DEMO_CLIENT_ID: clientId,
      DEMO_CLIENT_SECRET: clientSecret,
      DEMO_REDIRECT_URI: redirectUri,
    },
  })
  // The application ends with the service, and does not prevent this process from ending.
  app.unref()
  process.once('exit', () => app.kill())
  console.log(
    'Demo: the demo application is at http://localhost:8090/. Before the first sign-in, open the setup link below, enter your name and email address, and create a passkey.',
  )
  await import('./start.mjs')
})
