// 照看 Prime 所保存内容的词句：删除、遗忘、重建、导出对话；以及频道本身。
import type { care as English } from "../en/care";

const number = (n: number): string => n.toLocaleString("zh-CN");

export const care: typeof English = {
  erase: "彻底删除",
  eraseTitle: "彻底删除这条消息",
  eraseLead: "它的文字和文件会从日志、记忆、事实和总结中永久消失，只留下“这里曾有一条消息”的记录。此操作无法撤销。",
  eraseWhat: "删除范围",
  eraseAll: "消息及其文件",
  eraseAllNote: "之后再也无法读到。",
  eraseFiles: "只删除文件",
  eraseFilesNote: "消息保留，Prime 对文件的笔记也保留。",
  eraseDo: "永久删除",
  filesGone: "文件已删除。",
  erased: (n, backups) => `已删除 ${number(n)} 条消息。${backups === 0 ? "" : `还有 ${number(backups)} 个备份包含这些内容；要彻底清除，请删除这些备份。`}`,
  stillIn: "仍包含这些内容的备份：",

  forgetTitle: "遗忘某人",
  forgetNote: "删除某个人或智能体在所有频道中说过、发过的一切。别人谈到他们的话会保留。",
  who: "谁",
  choose: "请选择",
  looking: "正在查找说过的话",
  foundOf: (n, name) => (n === 0 ? `这里没有 ${name} 的消息。` : `将删除 ${name} 的 ${number(n)} 条消息，无法撤销。`),
  forgetDo: (n) => `永久删除 ${number(n)} 条消息`,
  sure: (name) => `我确定要遗忘 ${name}`,

  rebuildTitle: "列表与索引",
  rebuildNote: "频道、记忆、事实和数据都由日志推算而来。如果哪里看起来不对，可以重新推算；不会丢失任何内容，并会指出原来有误的部分。",
  rebuild: "重新推算",
  rebuilding: "正在推算",
  rebuildOf: (name, done, of) => `${name}：${done} / ${of}`,
  rebuilt: (repaired, said) => (repaired.length === 0 ? `全部正确（读取了 ${said} 条消息）。` : `已修正：${repaired.join("、")}（读取了 ${said} 条消息）。`),

  dialogs: "训练用对话",
  dialogsNote: "每个频道的每段对话各一行 JSON，采用 OpenAI 的格式。",
  dialogsDo: "导出对话",
  redact: "隐去密钥",
  takeAlong: "下载对话",

  sealing: "备份内容",
  full: "包含解开密钥的钥匙",
  fullNote: "拿到文件的人就能读取密钥。不包含时，恢复后需要重新设置密钥。",
  passphrase: "口令",
  passphraseNote: "用于加密文件。留空则不加密。",

  details: "名称与成员",
  rename: "重命名",
  renamed: "已重命名。",
  add: "添加成员",
  letGo: (name) => `移除 ${name}`,
  nobodyElse: "除了你和 Prime 没有别人。",

  courses: "各段对话",
  coursesLead: "一个频道的对话可以分成几段。其他段的内容留在日志里，但不会给模型看。",
  course: (n) => `第 ${n} 段`,
  present: "正在进行",
  goOn: "接着这一段",
  wentBack: (n) => `接着第 ${n} 段。`,

  putOff: (n) => `${n} 个已推迟`,
  comesBack: (time) => `${time}再问`,
  change: "更改",

  style: "它代你写作的风格",
  styleFrom: (n) => `从你写的 ${number(n)} 条消息中学到。`,
  noStyle: "还不了解；会从你在那里写的内容中学习。",

  sumUp: "立即总结",
  summedUp: "已总结。",
  earlier: "较早的版本",
  later: "最新的版本",

  asOf: "以当时所知为准",
  shape: "格式",
  shapeName: { openai: "OpenAI", anthropic: "Anthropic", gemini: "Gemini" },
  archive: "下载已离开上下文的内容",
};
