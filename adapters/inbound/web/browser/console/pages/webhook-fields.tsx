import { useRecord } from '../api.ts'
import type { FieldError } from '../kit/command-dialog.tsx'
import { TextArea, TextField } from '../kit/field.tsx'
import type { EventFamilyRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

interface WebhookValues {
  readonly url: string
  readonly description: string
  /** One per line */
  readonly events: string
}

export const WebhookFields = ({
  values,
  onChange,
  errorOf,
}: {
  readonly values: WebhookValues
  readonly onChange: (values: WebhookValues) => void
  readonly errorOf: FieldError
}) => {
  const text = useTexts(webhooksTexts)
  const families = useRecord<readonly EventFamilyRecord[]>('/webhooks/event-types')
  return (
    <>
      <TextField
        name="url"
        type="url"
        label={text.url}
        value={values.url}
        onChange={(url) => onChange({ ...values, url })}
        error={errorOf('url')}
        required
        autoFocus
      />
      <TextField
        name="description"
        label={text.description}
        value={values.description}
        onChange={(description) => onChange({ ...values, description })}
        error={errorOf('description')}
      />
      <TextArea
        name="events"
        label={text.events}
        hint={text.eventsHint}
        value={values.events}
        onChange={(events) => onChange({ ...values, events })}
        error={errorOf('events')}
      />
      {families.data !== undefined && (
        <details>
          <summary>{text.families}</summary>
          <ul>
            {families.data.map(({ family, description }) => (
              <li key={family}>
                <code>{family}</code> {description}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
