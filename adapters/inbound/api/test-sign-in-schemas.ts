import { Type } from 'typebox'
import { Time } from '../http/schemas.ts'

export const TestSignIn = Type.Object(
  {
    url: Type.String({
      description: 'Open it in a browser. It works once, for the user who is or gets signed in there.',
    }),
    expiresAt: Time,
  },
  { title: 'TestSignIn' },
)
