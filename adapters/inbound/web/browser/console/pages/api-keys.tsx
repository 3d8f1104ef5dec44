import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { PageHead } from '../kit/record.tsx'
import { useMoment } from '../moment.tsx'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { CreateApiKey } from './api-key-actions.tsx'
import { ApiKeyTable } from './api-key-table.tsx'
import { apiKeysTexts } from './api-keys-texts.ts'

export const ApiKeysPage = () => {
  const text = useTexts(apiKeysTexts)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const [creating, setCreating] = useState(false)
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setCreating(true)}>
              {text.create}
            </Button>
          )
        }
      />
      <ApiKeyTable path="/api-keys" />
      {creating && <CreateApiKey account={null} onClose={() => setCreating(false)} />}
    </>
  )
}
