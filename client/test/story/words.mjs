// The words of the story: what the human writes, and what the scripted agents say and ask.

export const PROJECT = "last-light", TITLE = "The last light"; // as MAIN says

/** What the browser may log: a style of its own when typing goes over styled text, and the doc that was changed meanwhile. */
export const LOGS = /inline style|409/;
/** Where the pages that agents made are shown. */
export const PREVIEW = /^http:\/\/127\.0\.0\.1:\d+\/[A-Z0-9]{20,}\//;

export const MAIN = `# The last light

> Audience: people who read aloud to each other in the evening
> Vision: a story of one page, remembered for what it leaves out

Ada has kept the lamp of a lighthouse for thirty years. Tonight is the last time: from tomorrow a machine keeps it. Tell that night.

## Who works on it

- The **writer** writes it into \`deed/story.md\`: three short parts, one hour each.
- The **illustrator** draws the lamp and the sea as SVG into \`deed/pictures/\`, and sets story and pictures as one page, \`deed/index.html\`.

The writer begins, and starts the illustrator when the story stands.

## How it sounds

Plain sentences. Nobody explains what they feel. Who is in it stands in [people](doc-people.md).
`;

export const PEOPLE = `# People

**Ada** is sixty-one. She counts the steps, always, and never says the number.

**Tom** brings the oil on Thursdays. He talks about the weather.
`;

export const STORY = `# The last light

## Nine

Ada wound the clockwork for the night. The key was warm from her hand, as on every evening, and she hung it back on its nail.

Below, somebody knocked. It was Thursday.

"They say it will be clear," said Tom. He put down the oil. There was twice as much as she needed.

## Midnight

The beam went over the water and came back. Each time it touched the same three things: the buoy, the rock, the edge of the world.

She wrote the hour into the book. Below it there were four empty lines, and she looked at them for a while.

## Six

In the grey she put out the lamp with two fingers, and went down. On the last step she stopped and said the number out loud. Then she knew that she would miss all of it very much.
`;

export const LAST = " Then she knew that she would miss all of it very much.";

export const LAMP = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 200" role="img" aria-label="A lamp in the night">
  <rect width="320" height="200" fill="#16233b"/>
  <path d="M172 78 320 30v84z" fill="#f6d98b" opacity=".55"/>
  <path d="M150 200 156 92h18l6 108z" fill="#e9e2d3"/>
  <rect x="154" y="68" width="22" height="24" fill="#f6d98b"/>
  <path d="M150 68h30l-15-16z" fill="#9c3b2e"/>
  <path d="M0 172q40-10 80 0t80 0 80 0 80 0v28H0z" fill="#0d1729"/>
</svg>
`;

export const SEA = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 120" role="img" aria-label="The sea at six">
  <rect width="320" height="120" fill="#c9cfd3"/>
  <circle cx="236" cy="62" r="15" fill="#f1e6cf"/>
  <path d="M0 64h320v56H0z" fill="#7d8f99"/>
  <path d="M0 84q40-7 80 0t80 0 80 0 80 0" fill="none" stroke="#c9cfd3" stroke-width="2"/>
</svg>
`;

/** html is the page that the illustrator makes, with a frame around it or without. */
export const html = (frame) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The last light</title>
<style>
  body { margin: 0 auto; max-width: 32rem; padding: 2rem 1.5rem 4rem; background: #faf7f0; color: #262320; font: 1.1rem/1.6 Georgia, serif;${frame ? " border: 6px double #9c3b2e;" : ""} }
  h1 { font-weight: 400; }
  h2 { margin-block-start: 2.2rem; font-size: 1rem; font-weight: 400; letter-spacing: .1em; color: #7a6f62; }
  img { inline-size: 100%; border-radius: 3px; }
</style>
<h1>The last light</h1>
<img src="pictures/lamp.svg" alt="A lamp in the night">
<h2>Nine</h2>
<p>Ada wound the clockwork for the night. The key was warm from her hand, as on every evening, and she hung it back on its nail.</p>
<p>Below, somebody knocked. It was Thursday.</p>
<h2>Six</h2>
<img src="pictures/sea.svg" alt="The sea at six">
<p>In the grey she put out the lamp with two fingers, and went down. On the last step she stopped and said the number out loud.</p>
</html>
`;

const slowly = { chunk: 4, delay_ms: 22 };
const call = (id, name, args, description) => ({ id, name, args: { ...args, ...(description ? { description } : {}) } });

export const script = {
  models: ["storyteller-1"],
  cases: [
    {
      when: "You are the illustrator",
      replies: [
        { text: "A lamp first, and nothing around it but the night.", calls: [call("draw_1", "write_file", { path: "deed/pictures/lamp.svg", content: LAMP })] },
        { text: "Then the sea, as it is at six.", calls: [call("draw_2", "write_file", { path: "deed/pictures/sea.svg", content: SEA })] },
        { text: "Both pictures stand. Now the page.", calls: [call("page_1", "write_file", { path: "deed/index.html", content: html(true) })] },
        { text: "Without the frame, then. The paper is enough.", calls: [call("page_2", "write_file", { path: "deed/index.html", content: html(false) })] },
        { text: "The page is set: the lamp above, the sea at six, and room between the parts." },
      ],
    },
    {
      when: "Please start",
      replies: [
        {
          ...slowly,
          reasoning: "Three parts, one hour each. What is left out has to be felt: she never says the number of the steps. If she says it once, at the end, the reader knows.",
          text: "I have read the page and who is in it. This is what I will do:\n\n1. **Nine**, the evening: the clockwork, Tom with the oil.\n2. **Midnight**, the beam and the book.\n3. **Six**, the lamp goes out.\n\nAda counts the steps and never says the number. I keep that for the end, where she says it once. I write the whole story in one piece now, and when it stands I start the illustrator.",
          calls: [call("write_1", "write_file", { path: "deed/story.md", content: STORY })],
        },
        { text: "The story stands. Now the pictures, as the page says.", calls: [call("launch_1", "launch_agent", { provider: "claude", model: "storyteller-1", slug: "pictures-for-the-story", prompt: "You are the illustrator. Draw the lamp and the sea as SVG into deed/pictures/, and set the story and the pictures as one page, deed/index.html." })] },
        { text: "The illustrator is at work. Read the story when you like: I would change the last sentence if you think that it says too much." },
        { text: "The illustrator has finished: the page is set, with both pictures. You find it under Made." },
        { text: "Yes, it explains her. I take it out.", calls: [call("edit_1", "edit_file", { path: "deed/story.md", old_string: LAST, new_string: "" })] },
        { text: "And so that nobody puts it back, I add a line about her.", calls: [call("edit_2", "edit_file", { path: "doc-people.md", old_string: "**Ada** is sixty-one. She counts the steps, always, and never says the number.\n", new_string: "**Ada** is sixty-one. She counts the steps, always, and never says the number.\n\nShe says it once, at the end. Nobody explains it.\n" })] },
        { text: "And Tom is of few words.", calls: [call("edit_3", "edit_file", { path: "doc-people.md", old_string: "He talks about the weather.", new_string: "He says little, and always the same." })] },
        { text: "Now it ends on the number. The two lines about Ada and Tom keep it so." },
      ],
    },
  ],
  replies: [],
};
