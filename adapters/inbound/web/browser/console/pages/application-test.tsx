/** A sign-in to an application that ends with a report of each step and of each claim. */
import { useState } from 'react'
import { useCommand } from '../api.ts'
import { Button } from '../kit/button.tsx'
import { Copy } from '../kit/copy.tsx'
import { Checkbox, FieldGroup } from '../kit/field.tsx'
import { Problem } from '../kit/problem.tsx'
import { Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { ApplicationRecord, TestSignInRecord } from '../records.ts'
import { texts, useTexts } from '../text.tsx'

const testTexts = texts({
  en: {
    title: 'Test sign-in',
    hint: 'Signs in like the application, and shows each step and each claim that it would receive. The application is not opened, no tokens are issued, and nothing needs to be set up there.',
    scopes: 'Scopes that the application requests',
    again: 'Sign in again, even with an active session',
    start: 'Test with my account',
    other: 'Get a link for another user',
    otherHint:
      'For a user whose sign-in fails: they open the link in their own browser and see the report of their own sign-in. It works once, until',
    link: 'Link',
  },
  de: {
    title: 'Testanmeldung',
    hint: 'Meldet an wie die Anwendung und zeigt jeden Schritt und jeden Claim, den sie erhalten würde. Die Anwendung wird nicht geöffnet, es werden keine Tokens ausgestellt, und dort muss nichts eingerichtet sein.',
    scopes: 'Scopes, die die Anwendung anfordert',
    again: 'Neu anmelden, auch bei aktiver Sitzung',
    start: 'Mit meinem Konto testen',
    other: 'Link für einen anderen Benutzer',
    otherHint:
      'Für einen Benutzer, dessen Anmeldung scheitert: Er öffnet den Link im eigenen Browser und sieht den Bericht seiner eigenen Anmeldung. Er gilt einmal, bis',
    link: 'Link',
  },
})

const usual: readonly string[] = ['openid', 'profile', 'email']

/** Returns the scopes that an application can request; none with SAML. */
const scopesOf = (application: ApplicationRecord): readonly string[] =>
  application.protocol === 'saml'
    ? []
    : [
        ...usual,
        'phone',
        'groups',
        ...(application.grantTypes.includes('refresh_token') ? ['offline_access'] : []),
        ...application.apiGrants.flatMap(({ scopes }) => scopes),
      ]

export const ApplicationTest = ({ application }: { readonly application: ApplicationRecord }) => {
  const text = useTexts(testTexts)
  const [chosen, setChosen] = useState<readonly string[]>(usual)
  const [again, setAgain] = useState(false)
  const [link, setLink] = useState<TestSignInRecord | null>(null)
  const { mutate, isPending, error } = useCommand<TestSignInRecord>()
  const offered = scopesOf(application)
  const start = (then: (test: TestSignInRecord) => void): void => {
    if (isPending) return
    mutate(
      {
        method: 'POST',
        path: `/applications/${application.id}/test-sign-in`,
        body: { signInAgain: again, ...(offered.length === 0 ? {} : { scopes: chosen }) },
      },
      { onSuccess: then },
    )
  }
  return (
    <Section title={text.title} hint={text.hint}>
      <div className="stack">
        {offered.length > 0 && (
          <FieldGroup label={text.scopes}>
            {offered.map((scope) => (
              <Checkbox
                key={scope}
                label={scope}
                checked={chosen.includes(scope)}
                onChange={(checked) =>
                  setChosen(offered.filter((one) => (one === scope ? checked : chosen.includes(one))))
                }
              />
            ))}
          </FieldGroup>
        )}
        <Checkbox label={text.again} checked={again} onChange={setAgain} />
        {error !== null && <Problem error={error} />}
        <div className="actions">
          <Button look="primary" busy={isPending} onClick={() => start(({ url }) => location.assign(url))}>
            {text.start}
          </Button>
          <Button busy={isPending} onClick={() => start(setLink)}>
            {text.other}
          </Button>
        </div>
        {link !== null && (
          <div>
            <Copy label={text.link} value={link.url} />
            <p className="hint">
              {text.otherHint} <Time value={link.expiresAt} />.
            </p>
          </div>
        )}
      </div>
    </Section>
  )
}
