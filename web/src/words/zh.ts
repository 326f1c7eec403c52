// 页面的中文词句；结构与英文目录相同，由编译器检查。
import type { Words } from ".";
import { account, acting, connectors, mcp, people, signIn } from "./zh/acting";
import { care } from "./zh/care";
import { channelForm } from "./zh/channels";
import { keyList } from "./zh/keys";
import { model } from "./zh/model";
import { insight, room, rules } from "./zh/hub";
import { network } from "./zh/network";
import { policy } from "./zh/policy";
import { push } from "./zh/push";
import { recall } from "./zh/recall";
import { scripts } from "./zh/scripts";
import said from "./zh/said.json";
import { sayingsOf } from "./sayings";
import type { Spoken } from "./said";
import { settings } from "./zh/settings";
import { tools } from "./zh/tools";
import { tour } from "./zh/tour";

const number = (n: number): string => n.toLocaleString("zh-CN");

export const zh: Words = {
  name: "中文",
  locale: "zh-CN",
  prime: "Prime",
  you: "你",
  unknownActor: "某人",
  owner: "主人",
  skip: "跳到对话",

  running: "运行中",
  paused: "已暂停",
  pause: "全部暂停",
  resume: "继续",
  pauseOne: "暂停",
  pauseChannel: (name: string) => `暂停 ${name}`,
  resumeChannel: (name: string) => `让 ${name} 继续`,
  channelPaused: "你已暂停这个频道。在继续之前，这里没有人发言。",
  goesOn: "工作继续进行。",
  pausedBy: (code: string) =>
    ({
      owner: "你已暂停。",
      autostop: "你有一阵没有发话，已自动暂停。说句话，或点继续。",
      spend: "已暂停：可用的额度已经用完。请在设置中提高上限后继续，或重新计数。",
    })[code],
  newCount: "重新计数",
  learnedRule: "学会了：",
  connected: "已连接",
  connecting: "正在连接",
  unwell: "出现问题",
  reconnecting: "正在重新连接",
  reconnected: "已重新连接",
  calls: "调用",
  callsOf: (used, cap) => `${used} / ${cap}`,
  callsUsed: (used) => `已用 ${used}，无上限`,
  priceUnknown: "价格未知",
  priceUnknownWhy: "这里不知道该模型的价格：它的请求按零计费，花费上限也拦不住。",
  offlineEngine: "离线引擎",
  modelUnknown: "无模型",
  autonomy: (mode) => ({ draft: "草稿等你批准", auto_learned: "批准过的同类会自动发送", full: "自动发送" })[mode] ?? mode,
  openChip: "开放",
  anything: "查找",
  openPalette: "查找任何内容",
  close: "关闭",
  dismiss: "收起",
  retry: "重试",
  cancel: "取消",
  save: "保存",
  more: "显示更多",
  justNow: "刚刚",
  view: "视图",
  places: "页面",
  placeName: {
    home: "Prime",
    room: "作战室",
    recall: "记忆",
    rules: "规则",
    tools: "工具",
    scripts: "脚本",
    network: "网络",
    insight: "洞察",
    settings: "设置",
    "sign-in": "登录",
    invite: "邀请",
  },
  account,
  acting,
  care,
  connectors,
  insight,
  mcp,
  network,
  people,
  policy,
  push,
  recall,
  room,
  rules,
  scripts,
  settings,
  signIn,
  model,
  tools,
  tour,

  openBanner: "开放模式：这台电脑上的任何程序都能以你的身份操作。",
  openHow: "如何关闭",
  openStep: "要关闭它，请把 PRIME_OWNER_EMAIL 设为你的邮箱，然后重新启动 Prime。",

  channels: "频道",
  yourRoom: "你的房间",
  atWork: (n: number) => `${n} 个房间正在推进`,
  newChannel: "新建频道",
  noChannels: "Prime 为你的工作开设频道后，会列在这里。你也可以自己新建一个。",
  tier: (tier) => ({ team: "团队", business_relation: "商业伙伴", external: "外部" })[tier],
  tierHeading: (tier) => ({ team: "团队", business_relation: "商业伙伴", external: "外部" })[tier],
  tierMeaning: (tier) =>
    ({
      team: "能看到全貌：计划、数字和你的决定。",
      business_relation: "只看到你们合作的条款和日期。",
      external: "只看到你愿意告诉陌生人的内容。",
    })[tier],
  unread: (n) => `${number(n)} 条新消息`,
  working: "工作中",
  workingNames: (names) => `${names} 正在输入`,
  doing: (name, state) => `${name} ${({ thinking: "正在思考", calling: "正在使用工具", waiting: "在等你" } as Record<string, string>)[state] ?? "正在输入"}`,

  conversation: "消息",
  talk: "对话",
  members: (n) => `${number(n)} 位成员`,
  message: (name) => `给 ${name} 写消息`,
  tellPrime: "告诉 Prime 要做什么",
  send: "发送",
  composeHint: "回车发送，Shift 加回车换行",
  composeHintTouch: "未发送的文字会一直保留",
  sending: "正在发送",
  waitsForConnection: "Prime 恢复后会发送",
  notSent: "未发送。",
  discard: "丢弃",
  loading: "正在载入",
  loadingOlder: "正在载入更早的消息",
  beginning: (name) => `${name} 从这里开始。`,
  emptyChannel: (name) => `${name} 里还没有消息。你写的内容，频道成员都能看到。`,
  newBelow: (n) => `${number(n)} 条新消息`,
  toLatest: "回到最新",
  today: "今天",
  yesterday: "昨天",
  showAll: (n) => `显示全部 ${number(n)} 个字符`,
  attach: "添加附件",
  noteOfFile: "文件内容",
  file: "文件",
  attachments: "附件",
  pastedText: "粘贴的文本.txt",
  attached: (name) => `已附上 ${name}`,
  uploading: (name) => `正在上传 ${name}`,
  removeNamed: (name) => `移除 ${name}`,
  dropHere: "拖放文件即可附上",
  link: "复制链接",
  linkCopied: "链接已复制",
  sayAgain: "再说一次",
  stop: "停止",
  stopped: "已停止。",
  searchHere: "在此频道内搜索",
  copy: "复制",
  copied: "已复制",
  erased: "这条消息已被删除。",
  corrected: "已更正",
  brief: "说明",
  briefNote: "告诉这个频道的内容",
  held: {
    title: "没有告诉这个频道。",
    note: "只有你能看到。",
    category: (name) =>
      ({ margins: "利润", internals: "内部情况", secrets: "密码和密钥", "deal terms": "交易条款", calendars: "日程", "other counterparts": "其他合作方", "heard elsewhere": "在别处听到的" })[name] ?? name,
  },
  thought: "思考",
  plan: "计划",
  comma: "、",
  tierKnows: (tier) => ({ team: "全貌", business_relation: "仅条款和日期", external: "仅价值" })[tier],
  openRoom: "打开作战室",
  toolCall: "使用了工具",
  toolResult: "结果",
  asked: "向你提问：",
  answered: "你的回答：",
  said: (who, what) => `${who}：${what}`,
  channelMissing: "没有这个频道。",
  channelMissingHint: "它可能已经关闭，或者地址有误。请在左侧选择另一个。",
  messageTooFarBack: "那条消息太早，没有载入。向上滚动可以找到它。",
  goHome: "回到你的房间",

  firstTitle: "想完成什么？",
  firstLine: "用一两句话说出来。Prime 会为每个部分开设房间并在那里推进，只有别人无法决定的事才来问你。",
  firstExamples: "也可以从这些开始",
  examples: [
    {
      title: "发布新品",
      text: "我们三月在德国推出家用意式咖啡机。请找三家零售伙伴，筛选首批潜在客户，并做好落地页。预算 5,000。",
    },
    {
      title: "筹办活动",
      text: "五月在里斯本举办两天的工作坊，25 人参加。请比较三个场地，向两家餐饮询价，并起草邀请函。预算 12,000。",
    },
    {
      title: "寻找人选",
      text: "四月前在成都招一位兼职会计。问每位候选人同样的问题，了解背景，再把最合适的给我看。月薪不超过 6,000 元。",
    },
  ],
  firstOffline: "Prime 在这里使用离线引擎：没有模型，没有密钥，没有任何内容离开这台电脑。",
  howToConnect: "如何连接模型",

  waiting: "等你处理",
  waitingTab: "待处理",
  chatTab: "对话",
  whatWaits: "等你处理的事",
  moreWaiting: (n) => `再显示 ${n} 项`,
  nothingWaits: "没有事情在等你。",
  roomsAtWork: (n: number) => `Prime 正在 ${number(n)} 个房间里工作。只有你能决定的事会出现在这里，通常不到一分钟。`,
  nothingWaitsMore: "Prime 无法替你决定时，问题会出现在这里。",
  startSomething: "告诉 Prime 要做什么",
  feed: "动态",
  feedSums: (asked, settled) => `提问 ${number(asked)}，已处理 ${number(settled)}`,
  settled: "已替你处理。",
  settledAs: (topic, answer) => (topic && answer && topic !== answer ? `${topic}：${answer}` : topic || answer),
  draftNotSent: "草稿",
  feedEmpty: "Prime 替你处理的事，以及你应当知道的事，会出现在这里。",
  older: "显示更早的",
  necessity: (n) => `必要性 ${n}`,
  why: "为何问你：",
  suggestions: "建议的回答",
  ownWords: "或者用你自己的话",
  yourAnswer: "你的回答",
  whyYou: "为何问你",
  feature: (name) =>
    ({
      "direct question": "直接提问",
      question: "提问",
      "against your wish": "违背你的要求",
      "settled before": "已有先例",
      new: "新情况",
      money: "金额",
      irreversible: "不可逆",
      "legal or public": "法律或公众",
      deadline: "期限",
      "against the date": "与日期冲突",
      conflict: "冲突",
    })[name] ?? name,
  makeRule: "定为规则",
  ruleText: "规则",
  ruleThinking: "正在拟定规则",
  ruleAnswerFirst: "先选择或写下回答，再由它拟定规则。",
  ruleWould: (n) => `到目前为止，它本可处理 ${n} 件事`,
  ruleWouldNone: "到目前为止没有可由它处理的事，从现在起生效。",
  ruleLearned: (text) => `已学会：${text}`,
  snooze: "稍后",
  snoozeHour: "一小时后",
  snoozeTomorrow: "明天九点",
  snoozeMonday: "周一九点",
  snoozed: "已推迟。",
  waitsNoMore: "这件事已有结果，不再等你处理。",
  sourceNumber: (n) => `第 ${n} 条消息`,
  howCome: "由来",
  notTold: (what) => `没有告诉该频道：${what}`,
  byRule: "规则",
  feedShow: "显示",
  feedFilter: { all: "全部", surfaced: "须知", auto_resolved: "已处理" },
  feedNoneOfKind: "还没有这类内容。",
  draft: {
    label: (what) => `草稿：${what}`,
    from: (connector) => `${connector} · 草稿`,
    yourWords: "你的话",
    approve: "批准并发送",
    approveEdited: "发送这个",
    edit: "修改",
    undoEdit: "撤销修改",
    reject: "拒绝",
    sending: "正在发送",
    progress: (what, done, of) => `${what}：${done} / ${of}`,
    approved: "已批准。",
    rejected: "已拒绝。",
    iSentIt: "我已发送",
    itWasSent: "已经发出",
    itWasNotSent: "没有发出",
    saidSent: "已记为发出。",
    saidNotSent: "已记为未发出。",
    reason: (said) =>
      ({
        "You wrote it; approve it to send it.": "这是你写的，批准后发出。",
        "connector not connected": "连接器未连接",
        "You have not approved a reply of this kind yet.": "你还没有批准过这类回复。",
      })[said] ?? said.replace(/^Everything on (.+) waits for your approval\.$/, "$1 上的一切都等你批准。"),
  },
  publish: {
    name: "发布",
    lead: "文件会先去除不宜外传的内容，等你批准；离开的内容一字不差地给你看。",
    title: "标题",
    where: "发布到",
    propose: "准备",
    proposed: "等待你的批准。",
    published: "已发布。",
    approve: "发布",
    leaves: "将要离开的内容",
    cleaned: "已清理",
    redacted: "机密已涂黑。",
    removed: "已删去，因为外人不该看到：",
    doubts: "请看一下这里：",
    openFile: "打开文件",
    undo: "撤回",
    undoHalf: "撤销已有部分",
    undone: "已撤回。",
    isUndone: "已撤回",
  },
  askedAt: (time) => `提问于 ${time}`,
  answer: "回答",
  answering: "正在发送回答",
  seeMessages: (n) => `查看 ${number(n)} 条消息`,
  seeSource: "查看来源",
  source: "来源",
  approval: "请求运行",
  yesOnce: "允许一次",
  no: "不允许",
  always: "总是允许",
  alwaysMeans: "“总是”只适用于这个工具和完全相同的参数。",
  answerSent: "回答已发送。",
  questionCame: (text) => `Prime 提问：${text}`,

  paletteLabel: "查找频道、页面或操作",
  palettePlaceholder: "频道、页面、操作，或说过的话",
  recallTyped: (typed: string) => `在记忆中查找“${typed}”`,
  paletteNothing: "没有匹配的名称。试试少输几个字。",
  paletteCount: (n) => `${number(n)} 个结果`,
  goTo: (name) => `前往 ${name}`,
  focusCompose: "写消息",
  goWaiting: "前往等你处理的事",
  themeLight: "浅色",
  themeDark: "深色",
  themeSystem: "跟随系统",
  theme: "外观",
  useTheme: (name) => `外观：${name}`,
  language: "语言",
  otherLanguage: "English",
  useLanguage: (name) => `语言：${name}`,
  actions: "操作",

  shortcuts: "键盘",

  ...channelForm,
  ...keyList,

  about: "Prime 的运行情况",
  engine: "引擎",
  mode: "以你的名义回复",
  version: "版本",
  spent: "花费",
  learned: "学到的规则",
  access: "访问",
  accessOpen: "对这台电脑上的所有程序开放",
  accessOwner: "仅限登录后的你",
  aboutOffline: "离线引擎依靠规则和模板工作。它会计划、提问和记忆，但不会像语言模型那样写作，也不会假装可以。",
  aboutConnect:
    "可以在设置中连接模型，也可以在启动前设置密钥（OPENAI_API_KEY、ANTHROPIC_API_KEY、GEMINI_API_KEY）或运行 Ollama，Prime 会自动找到。使用之前会先试一次。",

  trouble: (code, status) => {
    if (code === "unreachable") return "Prime 没有应答。";
    if (code === "timed_out") return "Prime 应答太慢。";
    if (status === 401) return "你还没有登录。";
    if (status === 403) return "你无权访问。";
    if (status === 404) return "这里没有这个内容。";
    if (status === 413) return "内容太长或文件太大，无法接收。";
    if (status === 429) return "短时间内请求太多。";
    return "出了点问题。";
  },
  troubleHint: (code, status) => {
    if (code === "unreachable") return "请确认它仍在运行。本页会自动重新连接。";
    if (code === "timed_out") return "请重试。如果仍然很慢，请查看运行 Prime 的终端。";
    if (status === 401) return "请打开邮件中的登录链接，然后刷新本页。";
    if (status === 413) return "请分开发送，或换一个更小的文件。";
    if (status === 429) return "请稍等片刻再试。";
    if (status >= 500) return "请重试。运行 Prime 的终端里有更多信息。";
    if (code === "page_failed") return "请刷新本页，然后重试。";
    return "";
  },
  troubleCode: (code) => `代码：${code}`,
};

interface Catalogue {
  sentences: Readonly<Record<string, string>>;
  codes: Readonly<Record<string, string>>;
}

/** What the server says, from a file of its own: it is longer than all that the page says itself. */
export async function loadSayings(): Promise<Spoken> {
  const { sentences, codes } = (await (await fetch(new URL(said, import.meta.url))).json()) as Catalogue;
  return { say: sayingsOf(sentences), codes };
}
