import { demoApp } from './app.ts'

const required = (name: string): string => {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name} must be set`)
  return value
}

const redirectUri = required('DEMO_REDIRECT_URI')
const { hostname, port } = new URL(redirectUri)
demoApp({
  issuer: required('DEMO_ISSUER'),
  clientId: required('DEMO_CLIENT_ID'),
  clientSecret: required('DEMO_CLIENT_SECRET'),
  redirectUri,
})
  .listen(Number(port), hostname)
  .once('error', (error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EADDRINUSE' ? 'another program listens there' : error.message
    console.error(`Demo: the demo application cannot listen on ${hostname}:${port}: ${reason}.`)
    process.exitCode = 1
  })
