/** Makes PDFs in code, so that the repository needs no binary files. */

/** The size of a page, in points. */
export const SHEET = { width: 210, height: 300 } as const
/** The first line's baseline is 30 points below the upper edge, each next line's 20 points lower. */
export const lineAt = (line: number): number => SHEET.height - 30 - 20 * line

/** Pages with lines of Helvetica in 12 points, a font that the file does not contain. */
export function pdf(pages: readonly (readonly string[])[], more = ''): Buffer {
  const contents = pages.map((lines) => lines.map((line, index) => `BT /F 12 Tf 20 ${lineAt(index)} Td (${line}) Tj ET`).join('\n'))
  const pageAt = (index: number): number => 4 + index * 2
  return fileOf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, index) => `${pageAt(index)} 0 R`).join(' ')}] >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...contents.flatMap((content, index) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${SHEET.width} ${SHEET.height}] /Resources << /Font << /F 3 0 R >> >> /Contents ${pageAt(index) + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]),
    ],
    more,
  )
}

/** Locked by a password that nobody knows: the stored digests belong to none. */
export function lockedPdf(pages: readonly (readonly string[])[]): Buffer {
  const digest = (byte: string): string => `<${byte.repeat(32)}>`
  const lock = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${digest('a1')} /U ${digest('b2')} /P -44 >> /ID [${digest('c3')} ${digest('c3')}]`
  return pdf(pages, lock)
}

function fileOf(objects: readonly string[], more: string): Buffer {
  let text = '%PDF-1.7\n'
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${more} >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text, 'latin1')
}
